/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_OFFERED_H
#define QUIRE_OFFERED_H

struct quire_bo;
struct quire_shrinker;

struct quire_bo *quire_offered_take(struct quire_shrinker *shrinker);
void quire_offered_put(struct quire_bo *bo);
void quire_offered_update(struct quire_bo *bo);
void quire_offered_forget(struct quire_bo *bo);

#endif
