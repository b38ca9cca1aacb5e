import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
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

/**
 * A file system of its own in memory, where this process may mount one; then the disk is full in every sense. Elsewhere
 * the process gets a limit on the size of its files, which the kernel answers with EFBIG instead of ENOSPC.
 */
export async function createSmallDisk(t: TestContext, bytes: number): Promise<SmallDisk> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-small-disk-'))
  const mounted = await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${bytes},mode=700`,
    'strata-test',
    directory,
  ]).then(
    () => true,
    () => false,
  )
  t.after(async () => {
    if (mounted) await run('umount', ['--lazy', directory])
    await rm(directory, { recursive: true, force: true })
  })
  return mounted ? fileSystem(directory) : sizeLimit(directory)
}

function fileSystem(directory: string): SmallDisk {
  const ballast = join(directory, 'ballast')
  return {
    directory,
    fill: async () => {
      // Smaller and smaller, until not even one page fits.
      for (let size = 1 << 20; size >= 4096; size /= 2) {
        while (tryAppend(ballast, size));
      }
    },
    free: async () => rmSync(ballast),
  }
}

function tryAppend(path: string, size: number): boolean {
  try {
    writeFileSync(path, new Uint8Array(size), { flag: 'a' })
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
