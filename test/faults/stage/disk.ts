import { execFile } from 'node:child_process'
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where a store keeps its files: a small file system of its own, so that it can be full or slow. */
export interface Disk {
  readonly directory: string
  /** Takes all space that is left. */
  fill(): Promise<void>
  free(): Promise<void>
  /** Every write and fsync waits until `thaw`. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  remove(): Promise<void>
}

/** An ext4 image, mounted in this process's own mount namespace. */
export async function mountSmallDisk(image: string, directory: string, megabytes: number): Promise<Disk> {
  await mkdir(directory, { recursive: true })
  await writeFile(image, '')
  await truncate(image, megabytes * 1024 * 1024)
  // Without blocks kept for root, as who runs this.
  await run('mkfs.ext4', ['-q', '-m', '0', image])
  await run('mount', ['-o', 'loop', image, directory])
  const filler = join(directory, 'filler')
  return {
    directory,
    async fill() {
      // Ends with an error when nothing is left: that is what is wanted.
      await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k', 'conv=fsync']).catch(() => {})
      await run('dd', ['if=/dev/zero', `of=${filler}-2`, 'bs=512', 'conv=fsync']).catch(() => {})
    },
    async free() {
      await rm(filler, { force: true })
      await rm(`${filler}-2`, { force: true })
    },
    freeze: async () => void (await run('fsfreeze', ['-f', directory])),
    thaw: async () => void (await run('fsfreeze', ['-u', directory])),
    async remove() {
      await run('fsfreeze', ['-u', directory]).catch(() => {})
      await run('umount', ['-l', directory])
      await rm(image, { force: true })
    },
  }
}
