// SPDX-License-Identifier: MIT
// attacks: shared memory, queues and semaphores of the kernel, which outlive a process
// control: honest
// earns: exactly its control
// must stay: neighbours
// undefended: running reaches it
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

#include <fcntl.h>

#include "kit/attack.h"

static void attack() {
  const int memory = shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600);
  reach(memory >= 0, "shmget");
  const int semaphores = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
  reach(semaphores >= 0, "semget");
  const int messages = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  reach(messages >= 0, "msgget");
  shmctl(memory, IPC_RMID, nullptr);
  semctl(semaphores, 0, IPC_RMID);
  msgctl(messages, IPC_RMID, nullptr);
  reach(mq_open("/@MARK@", O_CREAT | O_RDWR, 0600, nullptr) >= 0, "mq_open");
  mq_unlink("/@MARK@");
}

#include "kit/attack_first.cu"
