# fish completion for profdive; written by tools/gen-docs, edit the program's tables instead

# The command; without a word it is open.
function __profdive_is
    set -l words (commandline -opc)
    for c in open report print check-rules cache help
        if contains -- $c $words
            contains -- $c $argv
            return
        end
    end
    contains -- open $argv
end

# print without its view
function __profdive_needs_view
    __profdive_is print
    and not __fish_seen_subcommand_from overview sources steps stepstats threads gpu classes kernels opkernels chains callers instances gaps memcpy memset sync streams runtime ops optree opcallers nvtx stacks breakdown crosscheck coverage layers rules
end

complete -c profdive -n __fish_is_first_token -a open -d 'open the explorer on profile files or folders'
complete -c profdive -n __fish_is_first_token -a report -d 'write the six markdown documents'
complete -c profdive -n __fish_is_first_token -a print -d 'print one view: the same rows that the pane shows'
complete -c profdive -n __fish_is_first_token -a check-rules -d 'test the rule files against their samples'
complete -c profdive -n __fish_is_first_token -a cache -d 'list or remove what the reopen cache holds'
complete -c profdive -n __fish_is_first_token -a help -d 'explain a command; list the views or the options'
complete -c profdive -f -n '__profdive_is help' -a 'open report print check-rules cache help views options'

complete -c profdive -f -n __profdive_needs_view -a overview -d 'why the step is slow, in sentences, with the panes that show more'
complete -c profdive -f -n __profdive_needs_view -a sources -d 'what was loaded, what is in it, and what was lost'
complete -c profdive -f -n __profdive_needs_view -a steps -d 'training steps with their phases; warm-up, partial and outlying ones are marked'
complete -c profdive -f -n __profdive_needs_view -a stepstats -d 'median, p90 and range of the steps of the window and of their parts'
complete -c profdive -f -n __profdive_needs_view -a threads -d 'host threads, their roles and how busy they are'
complete -c profdive -f -n __profdive_needs_view -a gpu -d 'wall time of each device: compute, exposed communication and copies, idle'
complete -c profdive -f -n __profdive_needs_view -a classes -d 'GPU time by class of kernel and phase of the step'
complete -c profdive -f -n __profdive_needs_view -a kernels -d 'kernels by name, with what their names tell'
complete -c profdive -f -n __profdive_needs_view -a opkernels -d 'which operator launched which kernels'
complete -c profdive -f -n __profdive_needs_view -a chains -d 'GPU work by phase, Python frame, op and runtime call that lead to it'
complete -c profdive -f -n __profdive_needs_view -a callers -d 'CUDA runtime calls by the op and the Python frame that made them'
complete -c profdive -f -n __profdive_needs_view -a instances -d 'every kernel, copy and memory set, with the launch behind it'
complete -c profdive -f -n __profdive_needs_view -a gaps -d 'when nothing ran on a device, and why'
complete -c profdive -f -n __profdive_needs_view -a memcpy -d 'copies by direction and memory kinds, and how much of them is exposed'
complete -c profdive -f -n __profdive_needs_view -a memset -d 'memory sets of each device'
complete -c profdive -f -n __profdive_needs_view -a sync -d 'waits of the host for the device, and how much of them is lost'
complete -c profdive -f -n __profdive_needs_view -a streams -d 'GPU work by stream'
complete -c profdive -f -n __profdive_needs_view -a runtime -d 'CUDA runtime and driver calls: count, time, and the op that paid'
complete -c profdive -f -n __profdive_needs_view -a ops -d 'operators by self time; every row explains its self time'
complete -c profdive -f -n __profdive_needs_view -a optree -d 'ops by call path: who calls what, and where the time goes'
complete -c profdive -f -n __profdive_needs_view -a opcallers -d 'the op tree from below: each op'\''s own time by the way it is called'
complete -c profdive -f -n __profdive_needs_view -a nvtx -d 'NVTX ranges by name, their own time and the kernels launched inside'
complete -c profdive -f -n __profdive_needs_view -a stacks -d 'Python call tree: which line the time belongs to'
complete -c profdive -f -n __profdive_needs_view -a breakdown -d 'every nanosecond of the window once; the rows sum to the wall'
complete -c profdive -f -n __profdive_needs_view -a crosscheck -d 'the same quantity from two places, with tolerance and verdict'
complete -c profdive -f -n __profdive_needs_view -a coverage -d 'share of the wall in which the issuing thread has an event'
complete -c profdive -f -n __profdive_needs_view -a layers -d 'whether the self times of each layer sum to the union of its events'
complete -c profdive -f -n __profdive_needs_view -a rules -d 'the rules that are loaded, and which of them named the kernels'

complete -c profdive -n '__profdive_is open report' -l output -s o -x -a '(__fish_complete_directories)' -d 'where the reports go (default: ./profdive-report)'
complete -c profdive -n '__profdive_is open report print' -l window -s w -x -a 'steady all step: steps: time:' -d 'what time: steady (default), all, step:N, steps:A-B, time:A..B as in time:12.5ms..80ms'
complete -c profdive -n '__profdive_is open report print' -l by -x -a 'step phase microbatch thread process device rank all' -d 'split rows by step, phase, microbatch, thread, process, device or rank; all merges ranks'
complete -c profdive -n '__profdive_is print' -l partition -x -a 'cpu gpu: joint:' -d 'of breakdown: cpu (default), gpu:N, joint:N'
complete -c profdive -n '__profdive_is open report print' -l rank -x -d 'only this rank'
complete -c profdive -n '__profdive_is open report print' -l device -x -d 'only this device'
complete -c profdive -n '__profdive_is open report print' -l thread -x -d 'only this thread: TID or PID/TID'
complete -c profdive -n '__profdive_is open report print' -l source -x -d 'which source feeds the view: part of its path, its format, or its number'
complete -c profdive -n '__profdive_is open report print' -l facts -r -F -d 'facts of the run (parameters, experts, tokens): JSON or lines KEY = VALUE'
complete -c profdive -n '__profdive_is open report print' -l rules -r -F -d 'more rules, before the built-in ones'
complete -c profdive -n '__profdive_is open report print' -l recursive -s r -d 'search folders to the bottom, not one level deep'
complete -c profdive -n '__profdive_is print cache' -l format -s f -x -a 'table csv json md' -d 'how rows are written (default: table)'
complete -c profdive -n '__profdive_is print' -l sort -s s -x -d 'order of the rows'
complete -c profdive -n '__profdive_is print' -l limit -s n -x -d 'at most N rows (0 = all)'
complete -c profdive -n '__profdive_is print' -l filter -x -d 'only rows that match, as with & in the panes: '\''total_ns > 1ms and class = GEMM'\'''
complete -c profdive -l lang -x -a 'en zh_CN' -d 'language of screens and reports (default: locale)'
complete -c profdive -l color -x -a 'auto always never 16 256' -d 'colours (default: auto)'
complete -c profdive -l ascii -s U -d 'nothing but ASCII on screens and in tables'
complete -c profdive -n '__profdive_is open' -l mouse -d 'take clicks and the wheel'
complete -c profdive -n '__profdive_is open' -l script -r -F -d 'run the explorer from a key script, without a terminal'
complete -c profdive -n '__profdive_is open' -l screen -x -d 'size of a script'\''s screen (default: 80x24)'
complete -c profdive -n '__profdive_is open report print' -l jobs -s j -x -d 'threads that load (0 = one per processor, at most 8)'
complete -c profdive -l max-mem -x -d 'use no more memory than this: 4GB'
complete -c profdive -n '__profdive_is open report print' -l no-cache -d 'neither read nor write the reopen cache'
complete -c profdive -l log -r -F -d 'messages into this file as well'
complete -c profdive -l debug -x -a 'load' -d 'tell more; domains: load'
complete -c profdive -l help -s h -d 'this text; after a command, that of the command'
complete -c profdive -l version -s V -d 'the version'

complete -c profdive -n '__fish_seen_subcommand_from overview' -l sort -s s -x -a 'section text value_ns share goto source'
complete -c profdive -n '__fish_seen_subcommand_from sources' -l sort -s s -x -a 'path format producer version bytes events tracks first_ns last_ns damaged options contents clock state remarks'
complete -c profdive -n '__fish_seen_subcommand_from steps' -l sort -s s -x -a 'step start_ns dur_ns period_ns warmup partial outlier dataload_ns forward_ns backward_ns recompute_ns optimizer_ns other_ns microbatches gpu_busy_ns dataload_share evidence marker source rank process'
complete -c profdive -n '__fish_seen_subcommand_from stepstats' -l sort -s s -x -a 'quantity n median_ns p90_ns min_ns max_ns total_ns share source rank process'
complete -c profdive -n '__fish_seen_subcommand_from threads' -l sort -s s -x -a 'pid tid name role evidence events busy_ns launches source rank process'
complete -c profdive -n '__fish_seen_subcommand_from gpu' -l sort -s s -x -a 'device window_ns kernels kernel_sum_ns kernel_busy_ns compute_ns exposed_comm_ns exposed_memcpy_ns idle_ns exposed_htod_ns exposed_dtoh_ns exposed_both_ns exposed_dtod_ns exposed_ptop_ns exposed_memset_ns exposed_rest_ns compute_share utilization sm_use comm_sum_ns unattributed name by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from classes' -l sort -s s -x -a 'class subclass count total_ns forward_ns backward_ns recompute_ns optimizer_ns dataload_ns other_ns unattributed_ns share avg_ns by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from kernels' -l sort -s s -x -a 'name class subclass layout dtype tensor_core count total_ns min_ns max_ns forward_ns backward_ns recompute_ns optimizer_ns dataload_ns other_ns unattributed_ns avg_ns share by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from opkernels' -l sort -s s -x -a 'op kernel count total_ns avg_ns share class by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from chains' -l sort -s s -x -a 'phase frame root op call kernel count call_ns gpu_ns share source rank process'
complete -c profdive -n '__fish_seen_subcommand_from callers' -l sort -s s -x -a 'class call op frame phase count total_ns share source rank process'
complete -c profdive -n '__fish_seen_subcommand_from instances' -l sort -s s -x -a 'start_ns dur_ns layer device stream name class delay_ns launch launch_ns op phase step grid block registers bytes by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from gaps' -l sort -s s -x -a 'device start_ns dur_ns cause evidence thread ended_by phase step by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from memcpy' -l sort -s s -x -a 'kind src dst count bytes time_ns busy_ns bytes_per_step gbps overlap exposed_ns avg_bytes by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from memset' -l sort -s s -x -a 'device count bytes time_ns busy_ns bytes_per_step gbps overlap exposed_ns avg_bytes by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from sync' -l sort -s s -x -a 'type count time_ns busy_ns lost_ns max_ns call by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from streams' -l sort -s s -x -a 'device context stream kernels copies memsets total_ns busy_ns source rank process'
complete -c profdive -n '__fish_seen_subcommand_from runtime' -l sort -s s -x -a 'name class count total_ns min_ns max_ns avg_ns p50_ns p99_ns share op op_share by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from ops' -l sort -s s -x -a 'name count total_ns self_ns sync_ns launch_ns memcpy_ns other_runtime_ns host_ns device_ns exposed_ns share by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from optree' -l sort -s s -x -a 'id parent name depth count total_ns self_ns sync_ns launch_ns memcpy_ns other_runtime_ns host_ns device_ns share source rank process'
complete -c profdive -n '__fish_seen_subcommand_from opcallers' -l sort -s s -x -a 'id parent name depth count self_ns sync_ns launch_ns memcpy_ns other_runtime_ns host_ns device_ns share source rank process'
complete -c profdive -n '__fish_seen_subcommand_from nvtx' -l sort -s s -x -a 'name count open total_ns self_ns gpu_ns min_ns max_ns domain by source rank process'
complete -c profdive -n '__fish_seen_subcommand_from stacks' -l sort -s s -x -a 'id parent function file line total_ns self_ns samples framework phase operation share source rank process'
complete -c profdive -n '__fish_seen_subcommand_from breakdown' -l sort -s s -x -a 'level1 level2 level3 time_ns share partition source rank process'
complete -c profdive -n '__fish_seen_subcommand_from crosscheck' -l sort -s s -x -a 'quantity unit a a_source b b_source ratio tolerance verdict reason'
complete -c profdive -n '__fish_seen_subcommand_from coverage' -l sort -s s -x -a 'pid wall_ns covered_ns untraced_ns coverage source rank process'
complete -c profdive -n '__fish_seen_subcommand_from layers' -l sort -s s -x -a 'layer tracks events overlaps depth_max self_ns union_ns differs_ns source rank process'
complete -c profdive -n '__fish_seen_subcommand_from rules' -l sort -s s -x -a 'file table rule samples names count total_ns source rank process'
