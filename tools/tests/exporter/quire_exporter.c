// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * An exporter of dma-bufs that share one reservation, for tests of importers: drivers that export
 * such ones need hardware.  Buffers do not move: there is no pin.  The machine's DMA is coherent.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/file.h>
#include <linux/kref.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "quire_exporter.h"

/**
 * struct group - what buffers of one call share
 * @refs: one of each buffer
 * @resv: their reservation
 */
struct group {
	struct kref refs;
	struct dma_resv resv;
};

/**
 * struct buffer - &dma_buf.priv
 * @group: it is in, with a reference
 * @nr_pages: number of @pages
 * @pages: its memory
 */
struct buffer {
	struct group *group;
	unsigned long nr_pages;
	struct page *pages[] __counted_by(nr_pages);
};

static struct group *group_create(void)
{
	struct group *group = kzalloc(sizeof(*group), GFP_KERNEL);

	if (group) {
		kref_init(&group->refs);
		dma_resv_init(&group->resv);
	}
	return group;
}

static void group_release(struct kref *refs)
{
	struct group *group = container_of(refs, struct group, refs);

	dma_resv_fini(&group->resv);
	kfree(group);
}

static void buffer_destroy(struct buffer *buffer)
{
	unsigned long i;

	for (i = 0; i < buffer->nr_pages && buffer->pages[i]; i++)
		__free_page(buffer->pages[i]);
	kref_put(&buffer->group->refs, group_release);
	kvfree(buffer);
}

static struct buffer *buffer_create(struct group *group, unsigned long nr_pages)
{
	struct buffer *buffer = kvzalloc(struct_size(buffer, pages, nr_pages), GFP_KERNEL);
	unsigned long i;

	if (!buffer)
		return NULL;
	buffer->nr_pages = nr_pages;
	buffer->group = group;
	kref_get(&group->refs);
	for (i = 0; i < nr_pages; i++) {
		buffer->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!buffer->pages[i]) {
			buffer_destroy(buffer);
			return NULL;
		}
	}
	return buffer;
}

static struct sg_table *exporter_map(struct dma_buf_attachment *attach,
				     enum dma_data_direction direction)
{
	struct buffer *buffer = attach->dmabuf->priv;
	struct sg_table *table = kzalloc(sizeof(*table), GFP_KERNEL);
	int ret;

	if (!table)
		return ERR_PTR(-ENOMEM);
	ret = sg_alloc_table_from_pages(table, buffer->pages, buffer->nr_pages, 0,
					attach->dmabuf->size, GFP_KERNEL);
	if (ret)
		goto err_free;
	ret = dma_map_sgtable(attach->dev, table, direction, 0);
	if (ret)
		goto err_table;
	return table;

err_table:
	sg_free_table(table);
err_free:
	kfree(table);
	return ERR_PTR(ret);
}

static void exporter_unmap(struct dma_buf_attachment *attach, struct sg_table *table,
			   enum dma_data_direction direction)
{
	dma_unmap_sgtable(attach->dev, table, direction, 0);
	sg_free_table(table);
	kfree(table);
}

static int exporter_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct buffer *buffer = dmabuf->priv;

	return vm_map_pages(vma, buffer->pages, buffer->nr_pages);
}

static void exporter_release(struct dma_buf *dmabuf)
{
	buffer_destroy(dmabuf->priv);
}

static const struct dma_buf_ops exporter_dma_buf_ops = {
	.map_dma_buf = exporter_map,
	.unmap_dma_buf = exporter_unmap,
	.mmap = exporter_mmap,
	.release = exporter_release,
};

static struct dma_buf *export_one(struct group *group, u64 size)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;

	info.ops = &exporter_dma_buf_ops;
	info.size = size;
	info.flags = O_RDWR;
	info.resv = &group->resv;
	info.priv = buffer_create(group, size >> PAGE_SHIFT);
	if (!info.priv)
		return ERR_PTR(-ENOMEM);
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf))
		buffer_destroy(info.priv);
	return dmabuf;
}

static int export_all(struct group *group, struct quire_exporter_create *create, void __user *user)
{
	struct dma_buf *dmabufs[QUIRE_EXPORTER_MAX];
	u32 done, i;
	int ret = 0;

	for (done = 0; done < create->count; done++) {
		ret = get_unused_fd_flags(O_CLOEXEC);
		if (ret < 0)
			goto err_undo;
		create->fds[done] = ret;
		dmabufs[done] = export_one(group, create->size);
		if (IS_ERR(dmabufs[done])) {
			put_unused_fd(create->fds[done]);
			ret = PTR_ERR(dmabufs[done]);
			goto err_undo;
		}
	}
	if (copy_to_user(user, create, sizeof(*create))) {
		ret = -EFAULT;
		goto err_undo;
	}
	for (i = 0; i < create->count; i++)
		fd_install(create->fds[i], dmabufs[i]->file);
	return 0;

err_undo:
	while (done--) {
		put_unused_fd(create->fds[done]);
		dma_buf_put(dmabufs[done]);
	}
	return ret;
}

static long exporter_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct quire_exporter_create create;
	struct group *group;
	int ret;

	if (cmd != QUIRE_EXPORTER_CREATE)
		return -ENOTTY;
	if (copy_from_user(&create, user, sizeof(create)))
		return -EFAULT;
	if (!create.count || create.count > QUIRE_EXPORTER_MAX || create.pad || !create.size ||
	    !PAGE_ALIGNED(create.size) || create.size > QUIRE_EXPORTER_MAX_SIZE)
		return -EINVAL;
	group = group_create();
	if (!group)
		return -ENOMEM;
	ret = export_all(group, &create, user);
	kref_put(&group->refs, group_release);
	return ret;
}

static const struct file_operations exporter_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = exporter_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice exporter_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = QUIRE_EXPORTER,
	.fops = &exporter_fops,
};

module_misc_device(exporter_device);

MODULE_DESCRIPTION("dma-bufs that share one reservation, for tests of Quire");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_IMPORT_NS(DMA_BUF);
