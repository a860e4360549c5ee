// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <poll.h>
#include <unistd.h>

#include "budget.h"

struct drm_quire_budget_info budget_ask(int fd, uint32_t segment)
{
	struct drm_quire_budget_info budgets[QUIRE_SEGMENTS] = { 0 };
	struct drm_quire_query query = {
		.type = DRM_QUIRE_QUERY_BUDGETS,
		.answer = DRM_QUIRE_ARRAY(QUIRE_SEGMENTS, budgets),
	};

	if (quire_ioctl(fd, DRM_IOCTL_QUIRE_QUERY, &query) ||
	    query.answer.count != QUIRE_SEGMENTS || budgets[segment].instance != segment)
		tap_bail("query of budgets");
	return budgets[segment];
}

/* Segments of an event that comes in time; 0: none does. */
uint32_t budget_event(int fd, int milliseconds)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	struct drm_quire_event_budget event;

	if (poll(&pollfd, 1, milliseconds) != 1)
		return 0;
	if (read(fd, &event, sizeof(event)) != sizeof(event) ||
	    event.base.type != DRM_QUIRE_EVENT_BUDGET || event.base.length != sizeof(event) ||
	    event.pad)
		tap_bail("an event is not what it should be");
	return event.segments;
}
