/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_JOB_H
#define QUIRE_PAGING_JOB_H

#include <linux/types.h>

struct quire_batch;
struct quire_paging_job;
struct quire_paging_queue;
struct quire_usage;

struct quire_paging_job *quire_paging_job_create(struct quire_batch *batch, u32 size,
						 bool interruptible);
void quire_paging_job_pay(struct quire_paging_job *job, struct quire_usage *usage);
void quire_paging_job_destroy(struct quire_paging_job *job);
void quire_paging_job_push_open(struct quire_paging_queue *queue);
void quire_paging_job_push(struct quire_paging_job *job);
void quire_paging_job_push_own(struct quire_paging_job *job);
void quire_paging_job_free(struct quire_paging_job *job);

#endif
