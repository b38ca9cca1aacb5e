import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A directory in which one process can run out of space, and get it back. */
export interface SmallDisk {
  readonly directory: string
  /** From now on files can grow no more. */
  fill(pid: number): Promise<void>
  free(pid: number): Promise<void>
}

/** A small file system of its own, which is full or slow for every process. */
export interface MountedDisk extends SmallDisk {
  fill(): Promise<void>
  free(): Promise<void>
  /** Every write and fsync waits until `thaw`. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  remove(): Promise<void>
}

/**
 * A file system of its own in memory, where this process may mount one; then the disk is full in every sense. Elsewhere
 * the process gets a limit on the size of its files, which the kernel answers with EFBIG instead of ENOSPC.
 */
export async function createSmallDisk(t: TestContext, bytes: number): Promise<SmallDisk> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-small-disk-'))
  const size = `size=${bytes},mode=700`
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', size, 'strata-test', directory]).then(
    () => true,
    () => false,
  )
  t.after(async () => {
    if (mounted) await run('umount', ['--lazy', directory])
    await rm(directory, { recursive: true, force: true })
  })
  return mounted ? { directory, ...ballastIn(directory) } : sizeLimit(directory)
}

/** An ext4 image, mounted in this process's own mount namespace: a file system in memory cannot be frozen. */
export async function mountSmallDisk(
  image: string,
  directory: string,
  megabytes: number,
): Promise<MountedDisk> {
  await mkdir(directory, { recursive: true })
  await writeFile(image, '')
  await truncate(image, megabytes * 1024 * 1024)
  // Without blocks kept for root, as who runs this.
  await run('mkfs.ext4', ['-q', '-m', '0', image])
  await run('mount', ['-o', 'loop', image, directory])
  return {
    directory,
    ...ballastIn(directory),
    freeze: async () => void (await run('fsfreeze', ['-f', directory])),
    thaw: async () => void (await run('fsfreeze', ['-u', directory])),
    async remove() {
      await run('fsfreeze', ['-u', directory]).catch(() => {})
      await run('umount', ['-l', directory])
      await rm(image, { force: true })
    },
  }
}

/** Takes all space of a file system, and gives it back. */
function ballastIn(directory: string): { fill(): Promise<void>; free(): Promise<void> } {
  const ballast = join(directory, 'ballast')
  return {
    fill: async () => {
      // Smaller and smaller, until not even one block fits.
      for (let size = 1 << 20; size >= 512; size /= 2) {
        while (await tryAppend(ballast, size));
      }
    },
    free: () => rm(ballast, { force: true }),
  }
}

async function tryAppend(path: string, size: number): Promise<boolean> {
  try {
    // Flushed: a file system may promise more blocks than it has.
    await writeFile(path, new Uint8Array(size), { flag: 'a', flush: true })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

function sizeLimit(directory: string): SmallDisk {
  const limit = (pid: number, bytes: string): Promise<unknown> =>
    run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]).catch((error: unknown) => {
      throw new Error(
        'a full disk cannot be made: that needs the right to mount a tmpfs, or prlimit (Debian package util-linux)',
        { cause: error },
      )
    })
  return {
    directory,
    fill: async (pid) => void (await limit(pid, '4096')),
    free: async (pid) => void (await limit(pid, 'unlimited')),
  }
}
