import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '@strata/world'
import { backupName, decideBackups } from './decide-backups.ts'
import type { LogTarget } from './log.ts'

export interface LogFileOptions {
  readonly path: string
  /** After which a new file is begun; 0 never begins one. */
  readonly maxBytes: number
  /** After which an old file goes; 0 keeps them. */
  readonly maxAgeDays: number
  /** How many old files are kept; 0 is all. */
  readonly maxBackups: number
  readonly clock: Clock
}

/** A file that is put aside when it is full, and of whose predecessors only so many stay. */
export async function openLogFile(options: LogFileOptions): Promise<LogTarget> {
  const { path, maxBytes, clock } = options
  let file = await openForAppending(path)
  let { size } = await file.stat()

  const rotate = async (): Promise<void> => {
    // Somebody else may have put the file aside. What cannot be put aside for another reason grows on.
    const isAside = await rename(path, join(dirname(path), backupName(basename(path), clock.wallMs()))).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    )
    if (!isAside) return
    const full = file
    // Should this fail, there is still the old one, and the next line tries again.
    file = await openForAppending(path)
    size = (await file.stat()).size
    await full.close()
    // Old files that stay for now are no reason to lose new lines.
    await removeBackups(options).catch(() => {})
  }

  return {
    append: async (text) => {
      const bytes = Buffer.from(text)
      if (maxBytes > 0 && size > 0 && size + bytes.length > maxBytes) await rotate()
      await file.appendFile(bytes)
      size += bytes.length
    },
    close: () => file.close(),
  }
}

/** What happened is nobody's business but the administrator's. */
function openForAppending(path: string): Promise<FileHandle> {
  return open(path, 'a', 0o600)
}

async function removeBackups({ path, maxAgeDays, maxBackups, clock }: LogFileOptions): Promise<void> {
  const found = await readdir(dirname(path))
  const limits = { maxAgeDays, maxBackups, nowMs: clock.wallMs() }
  for (const name of decideBackups(basename(path), found, limits)) {
    await rm(join(dirname(path), name), { force: true })
  }
}

/** For those who collect what processes say. */
export function standardOutput(stream: NodeJS.WritableStream): LogTarget {
  return {
    append: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    close: async () => {},
  }
}
