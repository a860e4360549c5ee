/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The device under test, and objects that know what they should hold. */
#ifndef QUIRE_TEST_FIXTURE_H
#define QUIRE_TEST_FIXTURE_H

#include <errno.h>

#include "child.h"
#include "debugfs.h"
#include "pattern.h"
#include "quire_client.h"
#include "random.h"
#include "sigbus.h"
#include "tap.h"

/* Of virtual time; ends only what hangs.  A debug guest frees 256 MiB in a minute. */
#define WAIT_MS		300000
#define INTERRUPT_MS	30000u		/* an interrupt that is later is lost */

/**
 * struct fixture - the device
 * @fd: render node
 * @info: of the device
 * @segments: as they were in the beginning
 * @debugfs: the driver's directory, "" if there is none
 */
struct fixture {
	int fd;
	struct drm_quire_device_info info;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	char debugfs[64];
};

/**
 * struct object - one buffer object
 * @handle: of it
 * @size: bytes
 * @key: of its content
 */
struct object {
	uint32_t handle;
	uint64_t size;
	uint64_t key;
};

/**
 * struct place - one kind of place
 * @name: for messages
 * @segment: enum drm_quire_segment_class
 * @flags: DRM_QUIRE_PLACE_*
 */
struct place {
	const char *name;
	uint32_t segment;
	uint32_t flags;
};

#define NR_PLACES	8
extern const struct place places[NR_PLACES];

void fixture_open(struct fixture *fixture);
void fixture_reopen(struct fixture *fixture);
void fixture_rebind(struct fixture *fixture);
bool fixture_has_place(const struct fixture *fixture, const struct place *place, uint64_t size);
uint64_t fixture_vram(const struct fixture *fixture);
uint64_t fixture_visible(const struct fixture *fixture);
uint64_t fixture_usage(const struct fixture *fixture, uint32_t segment);
uint64_t fixture_count(const struct fixture *fixture, const char *name);
bool fixture_count_reaches(const struct fixture *fixture, const char *name, uint64_t count,
			   unsigned int milliseconds);
bool fixture_comes_down(const struct fixture *fixture, uint32_t segment, uint64_t usage);
unsigned int fixture_resident_runs(const struct fixture *fixture);
bool fixture_residency_is_right(const struct fixture *fixture);
int fixture_rest(const struct fixture *fixture,
		 struct drm_quire_segment_info usage[QUIRE_SEGMENTS]);
bool fixture_settles(const struct fixture *fixture,
		     const struct drm_quire_segment_info baseline[QUIRE_SEGMENTS]);
bool fixture_settles_with(const struct fixture *fixture, uint64_t bytes);
bool fixture_is_unchanged(const struct fixture *fixture,
			  const struct drm_quire_segment_info before[QUIRE_SEGMENTS]);
void fixture_inject(const struct fixture *fixture, const char *command);
bool fixture_hangs(const struct fixture *fixture, unsigned int milliseconds);
void fixture_wait_hung(const struct fixture *fixture);
void fixture_hang_and_reset(const struct fixture *fixture);
bool fixture_interrupt_half_way(pid_t pid, const char *hang_period);
pid_t fixture_start_hanging(const struct fixture *fixture, unsigned int milliseconds);
void fixture_flush_discards(const struct fixture *fixture);
void fixture_test_works(const struct fixture *fixture);

int object_create(const struct fixture *fixture, struct object *object, uint64_t size,
		  uint64_t key);
void object_close(const struct fixture *fixture, struct object *object);
int object_fill(const struct fixture *fixture, const struct object *object);
int object_check(const struct fixture *fixture, const struct object *object);
int object_check_zero(const struct fixture *fixture, const struct object *object);
int object_place(const struct fixture *fixture, const struct object *object,
		 const struct place *place);
int object_place_and_wait(const struct fixture *fixture, const struct object *object,
			  const struct place *place);
int object_succeed(const struct fixture *fixture, struct object *object,
		   const struct place *place, uint64_t size);
bool object_is_at(const struct fixture *fixture, const struct object *object,
		  const struct place *place);
uint32_t object_segment(const struct fixture *fixture, const struct object *object);
uint32_t object_flags(const struct fixture *fixture, const struct object *object);

void test_sleep_ms(unsigned int milliseconds);
void test_soil_pages(void);
void test_parameter(const char *name, unsigned int value);
void test_option(const char *name, unsigned int value);

#endif
