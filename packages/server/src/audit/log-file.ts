import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '@strata/world'
import { backupName, decideBackups } from './decide-backups.ts'
import type { LogTarget } from './log.ts'

export interface LogFileOptions {
  readonly path: string
  /** The size after which a new file is begun; 0 never begins one. */
  readonly maxBytes: number
  /** The age after which an old file is removed; 0 keeps them. */
  readonly maxAgeDays: number
  /** How many old files are kept; 0 is all. */
  readonly maxBackups: number
  readonly clock: Clock
}

/** A log file with rotation: a full file is renamed, and only some old files are kept. */
export async function openLogFile(options: LogFileOptions): Promise<LogTarget> {
  const { path, maxBytes, clock } = options
  let file = await openForAppending(path)
  let { size } = await file.stat()

  const rotate = async (): Promise<void> => {
    // Another process may have rotated the file. If it cannot be renamed for another reason, it keeps growing.
    const isAside = await rename(path, join(dirname(path), backupName(basename(path), clock.wallMs()))).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    )
    if (!isAside) return
    const full = file
    // If this fails, the old file is still open, and the next line tries again.
    file = await openForAppending(path)
    size = (await file.stat()).size
    await full.close()
    // Old files that cannot be removed must not lose new lines.
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

/** Only the owner may read the audit log. */
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

/** For log collectors that read standard output. */
export function standardOutput(stream: NodeJS.WritableStream): LogTarget {
  return {
    append: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()))
      }),
    close: async () => {},
  }
}
