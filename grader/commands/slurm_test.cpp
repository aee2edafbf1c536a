// SPDX-License-Identifier: MIT
#include "commands/slurm.h"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(ShellWord, KeepsWhatAShellWouldReadOtherwise) {
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("$(rm -rf ~)`x`"), "'$(rm -rf ~)`x`'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(TaskScript, GradesOneShardWithoutAskingForSlurmAgain) {
  EXPECT_EQ(
      task_script({"/bin/warpgrade", "grade", "dot", "my class", "--executor", "slurm", "--tasks=4",
                   "--sbatch=--gres=gpu:1", "--sbatch", "--mem=8G", "--jobs", "2"},
                  "/shared/dot/slurm", 4),
      "'/bin/warpgrade' 'grade' 'dot' 'my class' '--jobs' '2' --shard $SLURM_ARRAY_TASK_ID/4; "
      "s=$?; echo $s > '/shared/dot/slurm/shard-'$SLURM_ARRAY_TASK_ID.new && mv "
      "'/shared/dot/slurm/shard-'$SLURM_ARRAY_TASK_ID.new "
      "'/shared/dot/slurm/shard-'$SLURM_ARRAY_TASK_ID.status; exit $s");
}

}  // namespace
}  // namespace warpgrade
