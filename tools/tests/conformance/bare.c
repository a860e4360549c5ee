// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <asm/byteorder.h>

#include "bare.h"
#include "debugfs.h"
#include "pattern.h"
#include "quire_client.h"
#include "tap.h"

/* Behind the pages for page lists. */
#define RING_PAGE	BARE_PAGES
#define FENCE_PAGE	(BARE_PAGES + 1)
#define BUFFER_PAGE	(BARE_PAGES + 2)
#define ALL_PAGES	(BARE_PAGES + 3)

#define RING_ORDER	7	/* a page of entries */
#define RING(reg)	QUIRE_REG_RING(QUIRE_RING_PAGING, QUIRE_RING_##reg)
#define MAX_PACKET_PAGES	1024u
#define WAIT_MS		100000

#define PCI_COMMAND		4
#define PCI_MEMORY_AND_MASTER	6
#define PCI_WINDOW		(0x10 + 4 * QUIRE_BAR_WINDOW)	/* 32 bits */

u32 bare_read32(const struct bare *bare, u32 reg)
{
	return *(volatile u32 *)(bare->regs + reg);
}

u64 bare_read64(const struct bare *bare, u32 reg)
{
	return bare_read32(bare, reg) | (u64)bare_read32(bare, reg + 4) << 32;
}

void bare_write32(struct bare *bare, u32 reg, u32 value)
{
	*(volatile u32 *)(bare->regs + reg) = value;
}

static void write64(struct bare *bare, u32 reg, u64 value)
{
	bare_write32(bare, reg, value);
	bare_write32(bare, reg + 4, value >> 32);
}

static int open_file(const struct bare *bare, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", bare->address, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		tap_bail("%s: %s", path, strerror(errno));
	return fd;
}

static void *map_bar(const struct bare *bare, unsigned int number, u64 size)
{
	char name[16];
	void *map;
	int fd;

	snprintf(name, sizeof(name), "resource%u", number);
	fd = open_file(bare, name);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		tap_bail("%s: %s", name, strerror(errno));
	return map;
}

static void map_window(struct bare *bare)
{
	u64 size = bare_read64(bare, QUIRE_REG_WINDOW_SIZE_LO);
	u32 address = 0;
	int fd;

	if (!size)
		return;
	fd = open_file(bare, "config");
	if (pread(fd, &address, sizeof(address), PCI_WINDOW) != sizeof(address))
		tap_bail("config: it can not be read");
	close(fd);
	bare->window_address = address & ~0xfu;
	bare->window_bar = map_bar(bare, QUIRE_BAR_WINDOW, size);
}

/* The driver left it as a device that nobody uses. */
static void enable_device(const struct bare *bare)
{
	u16 command = 0;
	int fd = open_file(bare, "config");

	if (pread(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		tap_bail("config: it can not be read");
	command |= PCI_MEMORY_AND_MASTER;
	if (pwrite(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		tap_bail("config: it can not be written");
	close(fd);
}

/* Page numbers of @memory, as the device has to name them. */
static void find_frames(const struct bare *bare, u64 frames[ALL_PAGES])
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	u64 first = (uintptr_t)bare->memory / BARE_PAGE;

	if (fd < 0 || pread(fd, frames, ALL_PAGES * sizeof(*frames),
			    first * sizeof(*frames)) != (ssize_t)(ALL_PAGES * sizeof(*frames)))
		tap_bail("pagemap: %s", strerror(errno));
	close(fd);
	for (u32 i = 0; i < ALL_PAGES; i++) {
		frames[i] &= (1ull << 55) - 1;
		if (!frames[i])
			tap_bail("pagemap does not tell where a page is");
	}
}

static void allocate_memory(struct bare *bare)
{
	bare->memory = mmap(NULL, ALL_PAGES * BARE_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bare->memory == MAP_FAILED)
		tap_bail("mmap: %s", strerror(errno));
	/* nothing moves them */
	madvise(bare->memory, ALL_PAGES * BARE_PAGE, MADV_NOHUGEPAGE);
	if (mlock(bare->memory, ALL_PAGES * BARE_PAGE))
		tap_bail("mlock: %s", strerror(errno));
	memset(bare->memory, 0, ALL_PAGES * BARE_PAGE);
	find_frames(bare, bare->frames);
}

/* At entry 0, with what the aperture shows as it was. */
static void start_ring(struct bare *bare)
{
	bare_write32(bare, RING(CONTROL), 0);
	bare_read32(bare, RING(STATUS));
	memset(bare->memory + FENCE_PAGE * BARE_PAGE, 0, BARE_PAGE);
	bare->written = 0;
	write64(bare, RING(ENTRIES_LO), bare_dma(bare, RING_PAGE));
	write64(bare, RING(FENCE_PAGE_LO), bare_dma(bare, FENCE_PAGE));
	bare_write32(bare, RING(ORDER), RING_ORDER);
	bare_write32(bare, RING(CONTROL), QUIRE_RING_CONTROL_ENABLE);
}

static void start_device(struct bare *bare)
{
	bare_write32(bare, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	if (bare_read32(bare, QUIRE_REG_ID) != QUIRE_ID)
		tap_bail("this is no device of ours");
	bare_write32(bare, RING(INJECT_HANG), 0);
	bare_write32(bare, RING(INJECT_FAULT), 0);
	bare->caps = (struct quire_paging_caps) {
		.vram_pages = bare_read64(bare, QUIRE_REG_VRAM_SIZE_LO) / BARE_PAGE,
		.aperture_pages = bare_read64(bare, QUIRE_REG_APERTURE_SIZE_LO) / BARE_PAGE,
		.window_pages = bare_read64(bare, QUIRE_REG_WINDOW_SIZE_LO) / BARE_PAGE,
		.max_packet_pages = MAX_PACKET_PAGES,
		.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE,
		.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE,
	};
	bare->window = BARE_PAGE;
	start_ring(bare);
}

/**
 * bare_open - take the device from its driver, or end the program
 * @bare: to fill
 *
 * By root. Page numbers of this process are addresses for the device: not with an IOMMU.
 */
void bare_open(struct bare *bare)
{
	char path[128];
	int fd = quire_open();

	memset(bare, 0, sizeof(*bare));
	if (fd < 0 || sysfs_pci_address(fd, bare->address, sizeof(bare->address)))
		tap_bail("no quire device");
	close(fd);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/iommu_group", bare->address);
	if (!access(path, F_OK))
		tap_skip_all("the device is behind an IOMMU");
	if (sysfs_driver_write("unbind", bare->address))
		tap_bail("unbind");
	enable_device(bare);
	bare->regs = map_bar(bare, QUIRE_BAR_REGS, QUIRE_BAR_REGS_SIZE);
	bare->visible = bare_read64(bare, QUIRE_REG_VRAM_VISIBLE_LO);
	bare->vram = map_bar(bare, QUIRE_BAR_VRAM, bare->visible);
	map_window(bare);
	allocate_memory(bare);
	start_device(bare);
}

/**
 * bare_close - give the device back to its driver, or end the program
 * @bare: the device
 */
void bare_close(struct bare *bare)
{
	u64 frames[ALL_PAGES];

	bare_write32(bare, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	bare_read32(bare, QUIRE_REG_ID);
	find_frames(bare, frames);
	if (memcmp(frames, bare->frames, sizeof(frames)))
		tap_bail("the kernel moved a page: nothing that was seen counts");
	munmap(bare->memory, ALL_PAGES * BARE_PAGE);
	munmap(bare->vram, bare->visible);
	if (bare->window_bar)
		munmap(bare->window_bar, bare->caps.window_pages * BARE_PAGE);
	munmap((void *)bare->regs, QUIRE_BAR_REGS_SIZE);
	if (sysfs_driver_write("bind", bare->address))
		tap_bail("bind");
}

/* What the device executed since it was reset. */
u64 bare_packets(const struct bare *bare)
{
	return bare_read64(bare, RING(PACKETS_LO));
}

/* How far the device is in what it has: a heartbeat. */
u64 bare_progress(const struct bare *bare)
{
	return bare_read64(bare, RING(PROGRESS_LO));
}

/* What a page of the aperture points at: QUIRE_APERTURE_*. */
u64 bare_aperture(const struct bare *bare, u32 page)
{
	*(volatile u32 *)(bare->regs + QUIRE_REG_APERTURE_INDEX) = page;
	return bare_read64(bare, QUIRE_REG_APERTURE_ENTRY_LO);
}

u8 *bare_page(const struct bare *bare, u32 page)
{
	return bare->memory + page * BARE_PAGE;
}

u64 bare_dma(const struct bare *bare, u32 page)
{
	return bare->frames[page] * BARE_PAGE;
}

/* A page as one of a page list. */
struct quire_page_run bare_run_of(const struct bare *bare, u32 page)
{
	return (struct quire_page_run) { .first = bare->frames[page], .count = 1 };
}

/* Where bare_submit() finds packets. */
u8 *bare_buffer(const struct bare *bare)
{
	return bare_page(bare, BUFFER_PAGE);
}

/**
 * bare_start - give the device a submission, and do not wait
 * @bare: the device, which has nothing else to do
 * @size: bytes at bare_buffer()
 */
void bare_start(struct bare *bare, u32 size)
{
	struct quire_ring_entry *entries = (void *)bare_page(bare, RING_PAGE);
	struct quire_fence_page *page = (void *)bare_page(bare, FENCE_PAGE);

	entries[bare->written++ % (1u << RING_ORDER)] = (struct quire_ring_entry) {
		.addr = __cpu_to_le64(bare_dma(bare, BUFFER_PAGE)),
		.size = __cpu_to_le32(size),
		.fence = __cpu_to_le64(++bare->submissions),
	};
	__atomic_store_n(&page->wptr, __cpu_to_le32(bare->written), __ATOMIC_RELEASE);
	bare_write32(bare, QUIRE_DOORBELL(QUIRE_RING_PAGING), 0);
}

/* Is the fence value of the last submission written? */
bool bare_is_done(const struct bare *bare)
{
	struct quire_fence_page *page = (void *)bare_page(bare, FENCE_PAGE);

	return __atomic_load_n(&page->fence, __ATOMIC_ACQUIRE) ==
	       __cpu_to_le64(bare->submissions);
}

/**
 * bare_submit - have the device execute a submission
 * @bare: the device
 * @size: bytes at bare_buffer()
 *
 * Returns: 0 when its fence value is written, -EIO if it stopped at a fault, -ETIME.
 */
int bare_submit(struct bare *bare, u32 size)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	bare_start(bare, size);
	while (quire_now_ns() < end) {
		if (bare_is_done(bare))
			return 0;
		if (bare_read32(bare, RING(STATUS)) & QUIRE_RING_STATUS_FAULT)
			return -EIO;
		usleep(20);
	}
	return -ETIME;
}

/* Why the ring stopped, enum quire_fault; it goes on. */
u32 bare_fault(struct bare *bare)
{
	u32 code = bare_read32(bare, RING(FAULT_CODE));

	start_ring(bare);
	return code;
}

static void open_window(struct bare *bare, struct quire_paging_args *args)
{
	memset(bare_buffer(bare), 0xa5, BARE_PAGE);
	args->dma_buffer = bare_buffer(bare);
	args->dma_size = bare->window;
	args->private_data = bare->records;
	args->private_data_size = sizeof(bare->records);
	args->dma_buffer_gpu_address = bare_dma(bare, BUFFER_PAGE);
	args->dma_buffer_write_offset = 0;
}

/**
 * bare_run - describe one operation, and have the device execute what is described
 * @bare: the device
 * @args: operation, allocation, idle flag and u are set
 *
 * Each window is a submission of its own, and is executed before the next pass.
 *
 * Returns: 0; what the checks of the arguments refuse; -EBUSY; -ELOOP without progress; as
 * bare_submit().
 */
int bare_run(struct bare *bare, struct quire_paging_args *args)
{
	enum quire_build_status status;
	int ret;

	args->multipass_offset = 0;
	bare->passes = 0;
	do {
		u32 token = args->multipass_offset;

		open_window(bare, args);
		ret = quire_paging_check_args(&bare->caps, args);
		if (ret)
			return ret;
		status = quire_build_paging_buffer(&bare->caps, args);
		bare->passes++;
		if (status == QUIRE_BUILD_BUSY)
			return -EBUSY;
		if (status == QUIRE_BUILD_FULL && args->multipass_offset == token)
			return -ELOOP;
		ret = args->dma_buffer_write_offset ?
		      bare_submit(bare, args->dma_buffer_write_offset) : 0;
	} while (!ret && status == QUIRE_BUILD_FULL);
	return ret;
}

/*
 * Other content everywhere, which is expected from now on; a device that was reset, and the
 * limits of bare_open(), whatever was before.
 */
void bare_fill(struct bare *bare, u64 key)
{
	bare_write32(bare, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	start_ring(bare);
	bare->window = BARE_PAGE;
	bare->caps.max_packet_pages = MAX_PACKET_PAGES;
	pattern_fill(&bare->expected, sizeof(bare->expected), key);
	memcpy(bare->vram, bare->expected.vram, sizeof(bare->expected.vram));
	memcpy(bare->memory, bare->expected.pages, sizeof(bare->expected.pages));
}

static bool is_same(const char *name, const u8 *got, const u8 *expected, u64 size)
{
	u64 at = 0;

	if (!memcmp(got, expected, size))
		return true;
	while (got[at] == expected[at])
		at++;
	tap_diag("%s, page %llu, byte %llu: %#x, should be %#x", name,
		 at / BARE_PAGE, at % BARE_PAGE, got[at], expected[at]);
	return false;
}

/* Is all memory that is looked at as expected? */
bool bare_is_expected(const struct bare *bare)
{
	return is_same("VRAM", bare->vram, bare->expected.vram[0], sizeof(bare->expected.vram)) &
	       is_same("pages", bare->memory, bare->expected.pages[0],
		       sizeof(bare->expected.pages));
}
