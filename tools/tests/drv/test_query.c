// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Queries: what they say is true, and elements may be shorter or longer than known. */
#include <string.h>

#include "refuse.h"

#define UNTOUCHED	0xa5
#define LONG_STRIDE	(sizeof(struct drm_quire_segment_info) + 16)

#define QUERY(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_QUERY, struct drm_quire_query, expected, \
		"query: " name, __VA_ARGS__)

/* Bytes of the elements in their first version. */
#define FIRST_DEVICE_INFO	24
#define FIRST_SEGMENT_INFO	40
#define FIRST_BUDGET_INFO	40

/* All of it has to be refused; @type says of what. */
static void test_refused(struct subject *s, uint32_t type, uint32_t stride)
{
	uint8_t room[64];
	uint64_t array = (uintptr_t)room;

	QUERY(-EINVAL, "pad", .type = type, .pad = 1);
	QUERY(-EINVAL, "short stride", .type = type, .answer = { stride - 8, 1, array });
	QUERY(-EINVAL, "stride 0", .type = type, .answer = { 0, 1, array });
	QUERY(-EINVAL, "odd stride", .type = type, .answer = { stride + 4, 1, array });
	QUERY(-E2BIG, "stride above 4096", .type = type, .answer = { 4104, 1, array });
	QUERY(-E2BIG, "the largest stride", .type = type, .answer = { -8u, 1, array });
	QUERY(-EFAULT, "bad pointer", .type = type, .answer = { stride, 1, BAD_POINTER });
	QUERY(-EFAULT, "pointer of the kernel", .type = type,
	      .answer = { stride, 1, 1ull << 63 });
}

static void test_types(struct subject *s)
{
	test_refused(s, DRM_QUIRE_QUERY_DEVICE, FIRST_DEVICE_INFO);
	test_refused(s, DRM_QUIRE_QUERY_SEGMENTS, FIRST_SEGMENT_INFO);
	test_refused(s, DRM_QUIRE_QUERY_BUDGETS, FIRST_BUDGET_INFO);
	QUERY(-EINVAL, "type 3", .type = 3);
	QUERY(-EINVAL, "type -1", .type = UINT32_MAX);
}

/* Without a pointer it says how much there is; whatever stride and count were. */
static void test_size(const struct fixture *fixture, uint32_t type, uint32_t stride,
		      uint32_t count)
{
	struct drm_quire_query query = { .type = type, .answer = { 3, 1000, 0 } };

	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_QUERY, &query), 0, "query: size");
	tap_ok(query.answer.stride == stride && query.answer.count == count,
	       "query: %u elements of %u bytes", count, stride);
}

static int query_segments(const struct fixture *fixture, uint8_t *bytes, uint32_t stride,
			  uint32_t *count)
{
	struct drm_quire_query query = {
		.type = DRM_QUIRE_QUERY_SEGMENTS,
		.answer = { stride, *count, (uintptr_t)bytes },
	};
	int ret = quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_QUERY, &query);

	*count = query.answer.count;
	return ret;
}

static bool all_are(const uint8_t *bytes, size_t size, uint8_t value)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != value)
			return false;
	}
	return true;
}

/* A program that knows more than the driver finds zero there. */
static void test_long_stride(const struct fixture *fixture)
{
	const size_t size = sizeof(struct drm_quire_segment_info);
	uint8_t bytes[QUIRE_SEGMENTS * LONG_STRIDE];
	uint32_t count = QUIRE_SEGMENTS;
	bool zero = true, same = true;

	memset(bytes, UNTOUCHED, sizeof(bytes));
	tap_ret(query_segments(fixture, bytes, LONG_STRIDE, &count), 0, "query: long stride");
	for (uint32_t i = 0; i < QUIRE_SEGMENTS; i++) {
		const uint8_t *element = bytes + i * LONG_STRIDE;
		struct drm_quire_segment_info info;

		memcpy(&info, element, size);
		same &= info.instance == fixture->segments[info.segment_class].instance;
		zero &= all_are(element + size, LONG_STRIDE - size, 0);
	}
	tap_ok(count == QUIRE_SEGMENTS && same, "query: elements are a stride apart");
	tap_ok(zero, "query: the tails are zero");
}

static void test_little_room(const struct fixture *fixture)
{
	const uint32_t size = sizeof(struct drm_quire_segment_info);
	uint8_t bytes[QUIRE_SEGMENTS * sizeof(struct drm_quire_segment_info)];
	uint32_t count = 1;

	memset(bytes, UNTOUCHED, sizeof(bytes));
	tap_ret(query_segments(fixture, bytes, size, &count), 0, "query: room for one");
	tap_ok(count == 1 && !all_are(bytes, size, UNTOUCHED) &&
	       all_are(bytes + size, sizeof(bytes) - size, UNTOUCHED), "query: one and no more");
	count = 0;
	memset(bytes, UNTOUCHED, sizeof(bytes));
	tap_ret(query_segments(fixture, bytes, 3, &count), 0, "query: room for none, any stride");
	tap_ok(!count && all_are(bytes, sizeof(bytes), UNTOUCHED), "query: nothing is written");
}

static void test_much_room(const struct fixture *fixture)
{
	struct drm_quire_segment_info infos[QUIRE_SEGMENTS + 2];
	uint32_t count = ARRAY_SIZE(infos);

	memset(infos, UNTOUCHED, sizeof(infos));
	tap_ret(query_segments(fixture, (uint8_t *)infos, sizeof(infos[0]), &count), 0,
		"query: more room than segments");
	tap_ok(count == QUIRE_SEGMENTS, "query: what there is");
	tap_ok(all_are((uint8_t *)&infos[QUIRE_SEGMENTS], 2 * sizeof(infos[0]), UNTOUCHED),
	       "query: the rest is as it was");
}

static bool is_power_of_two(uint32_t value)
{
	return value && !(value & (value - 1));
}

static void test_segments(const struct fixture *fixture)
{
	const struct drm_quire_segment_info *segments = fixture->segments;
	uint32_t set = 0;

	for (uint32_t i = 0; i < QUIRE_SEGMENTS; i++) {
		const struct drm_quire_segment_info *segment = &segments[i];

		set |= segment->instance < 32 ? DRM_QUIRE_SEGMENT_BIT(segment->instance) : 0;
		tap_ok(segment->segment_class == i && !segment->pad &&
		       is_power_of_two(segment->min_page_size) &&
		       segment->size % segment->min_page_size == 0 &&
		       segment->visible_size <= segment->size,
		       "segment %u (%s) makes sense", segment->instance, quire_segment_name(i));
	}
	tap_ok(__builtin_popcount(set) == QUIRE_SEGMENTS, "instances are unique");
	tap_ok(!segments[DRM_QUIRE_SEGMENT_SYSTEM].size, "system memory has no size");
	tap_ok(segments[DRM_QUIRE_SEGMENT_VRAM].visible_size, "a part of VRAM is visible");
	tap_ok(segments[DRM_QUIRE_SEGMENT_APERTURE].size, "there is an aperture");
}

static void test_device(const struct fixture *fixture)
{
	uint64_t vram = fixture->segments[DRM_QUIRE_SEGMENT_VRAM].size;
	uint64_t aperture = fixture->segments[DRM_QUIRE_SEGMENT_APERTURE].size;

	tap_ok(fixture->info.page_size == QUIRE_PAGE, "page size");
	tap_ok(fixture->info.version >> 16 == 1, "major version of the device");
	tap_ok(fixture->info.max_bo_size == (vram > aperture ? vram : aperture),
	       "the largest object fits into the larger of VRAM and aperture");
}

int main(void)
{
	struct subject subject;
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	subject_make(&subject, &fixture);
	test_types(&subject);
	test_size(&fixture, DRM_QUIRE_QUERY_DEVICE, sizeof(struct drm_quire_device_info), 1);
	test_size(&fixture, DRM_QUIRE_QUERY_BUDGETS, sizeof(struct drm_quire_budget_info),
		  QUIRE_SEGMENTS);
	test_size(&fixture, DRM_QUIRE_QUERY_SEGMENTS, sizeof(struct drm_quire_segment_info),
		  QUIRE_SEGMENTS);
	test_long_stride(&fixture);
	test_little_room(&fixture);
	test_much_room(&fixture);
	test_segments(&fixture);
	test_device(&fixture);
	subject_close(&subject);
	return tap_done();
}
