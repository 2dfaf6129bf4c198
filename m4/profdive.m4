dnl profdive.m4 - the few checks that are ours

dnl PD_APPEND_FLAGS(VARIABLE, FLAGS): appends each of FLAGS that the compiler takes without a word.
AC_DEFUN([PD_APPEND_FLAGS], [
pd_saved_CFLAGS=$CFLAGS
for pd_flag in m4_normalize([$2]); do
	AC_MSG_CHECKING([whether $CC takes $pd_flag])
	CFLAGS="$pd_saved_CFLAGS -Werror $pd_flag"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[]], [[]])],
		[AC_MSG_RESULT([yes]); $1="$$1 $pd_flag"],
		[AC_MSG_RESULT([no])])
done
CFLAGS=$pd_saved_CFLAGS
])

dnl PD_SANITIZERS: --enable-sanitizers=LIST sets SAN_CFLAGS and SAN_LDFLAGS; the program must link.
dnl --enable-fuzzing adds what libFuzzer needs, sets FUZZ_LDFLAGS for the fuzzers and the conditional FUZZING.
AC_DEFUN([PD_SANITIZERS], [
AC_ARG_ENABLE([sanitizers],
	[AS_HELP_STRING([--enable-sanitizers=LIST],
		[build with these sanitizers, such as address,undefined or thread])],
	[], [enable_sanitizers=no])
AS_IF([test "x$enable_sanitizers" = xyes], [enable_sanitizers=address,undefined])
AC_ARG_ENABLE([fuzzing],
	[AS_HELP_STRING([--enable-fuzzing],
		[build the fuzzers with libFuzzer (clang) and the sanitizers address,undefined])],
	[], [enable_fuzzing=no])
FUZZ_LDFLAGS=
AS_IF([test "x$enable_fuzzing" != xno], [
	AS_IF([test "x$enable_sanitizers" = xno], [enable_sanitizers=address,undefined])
	enable_sanitizers=fuzzer-no-link,$enable_sanitizers
	FUZZ_LDFLAGS=-fsanitize=fuzzer
])
AC_SUBST([FUZZ_LDFLAGS])
AM_CONDITIONAL([FUZZING], [test "x$enable_fuzzing" != xno])
AS_IF([test "x$enable_sanitizers" != xno], [
	SAN_CFLAGS="-fsanitize=$enable_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
	SAN_LDFLAGS="-fsanitize=$enable_sanitizers"
	pd_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS $SAN_CFLAGS"
	AC_MSG_CHECKING([whether $CC links with $SAN_LDFLAGS])
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[]], [[]])],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		 AC_MSG_ERROR([the sanitizers $enable_sanitizers cannot be used with $CC])])
	CFLAGS=$pd_saved_CFLAGS
])
AC_SUBST([SAN_CFLAGS])
AC_SUBST([SAN_LDFLAGS])
])
