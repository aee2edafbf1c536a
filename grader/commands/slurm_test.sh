#!/bin/sh
# SPDX-License-Identifier: MIT
# grade --executor slurm with stand-ins for sbatch and squeue, in which a task is lost, and the controller is away for a while
# and knows nothing of a job's end.
# No submission here compiles, so that only the work on tasks takes time.
# usage: slurm_test.sh WARPGRADE COURSE
set -u
warpgrade=$(realpath "$1")
course=$2
folder=$(mktemp -d)
# Students' programs run as another user.
chmod 711 "$folder"
trap 'rm -rf "$folder"' EXIT
failures=0
for student in ann bob carol dan; do
  mkdir -p "$folder/my class/$student"
  echo "int broken_$student" > "$folder/my class/$student/vecadd.cu"
done
cd "$folder" || exit 1
mkdir bin jobs

cat > bin/sbatch <<'END'
#!/bin/sh
echo "$@" >> calls
for word in "$@"; do
  case $word in
    --array=*) tasks=$(echo "${word#--array=}" | tr , ' ') ;;
    --wrap=*) script=${word#--wrap=} ;;
    --gres=bad) echo 'sbatch: error: Invalid generic resource (gres) specification'; exit 1 ;;
  esac
done
job=$(($(ls jobs | wc -l) + 1))
for task in $tasks; do
  # The node of task 2 is lost with the first job.
  [ $job$task = 12 ] && continue
  SLURM_ARRAY_TASK_ID=$task sh -c "$script" > task-$job-$task.log 2>&1 &
  echo $! >> jobs/$job
done
touch jobs/$job
echo $job
END
cat > bin/squeue <<'END'
#!/bin/sh
[ -e away ] || { touch away; echo 'slurm_load_jobs error: Unable to contact slurm controller'; exit 1; }
for word in "$@"; do job=${word#--jobs=}; done
# A controller that was restarted may keep a job that has ended.
[ $job = 2 ] && { echo "$job running"; exit 0; }
for process in $(cat jobs/$job); do
  kill -0 $process 2> /dev/null && { echo "$job running"; exit 0; }
done
echo 'slurm_load_jobs error: Invalid job id specified'
exit 1
END
chmod +x bin/sbatch bin/squeue
PATH=$folder/bin:$PATH
export PATH

# expect STATUS ARGUMENTS...: the command ends with the status; its output lies in out and err.
expect() {
  wanted=$1
  shift
  "$warpgrade" --course "$course" "$@" > out 2> err
  status=$?
  [ $status -eq "$wanted" ] && return
  echo "$* ended with $status instead of $wanted"; cat out err task-*.log
  failures=$((failures + 1))
}
says() {
  grep -q -- "$2" "$1" || { echo "wanted in $1: $2"; cat "$1"; failures=$((failures + 1)); }
}

expect 0 grade vecadd 'my class' -o lab --executor slurm --tasks 2 --sbatch=--mem=8G --sbatch=--time=10
says err '^tasks 2 were lost and are submitted again'
says out '^dan  *0 '
says calls '--array=1,2 .*--mem=8G --time=10'
says calls '--array=2 '
[ "$(cut -d, -f1 lab/grades.csv | tr '\n' ' ')" = "student ann bob carol dan " ] || { cat lab/grades.csv; failures=$((failures + 1)); }

expect 1 grade vecadd 'my class' -o lab --executor slurm --sbatch=--gres=bad
says err 'sbatch refused the job: sbatch: error: Invalid generic resource'
exit $((failures > 0))
