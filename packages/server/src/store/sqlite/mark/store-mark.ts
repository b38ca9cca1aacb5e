import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StoreLost } from '../../errors.ts'
import type { Revision } from '../../store.ts'

/** The state of a store that is recorded outside of its database: its id, and the least revision it holds. */
export interface StoreMark {
  readonly store: number
  /** A revision that was on the disk when the mark was written. The store never goes back behind it. */
  readonly revision: Revision
  /** When it was written, for operators. */
  readonly at: string
}

/** Undefined if there is none. Throws if it cannot be parsed. */
export function readMark(path: string): StoreMark | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const mark = parse(text)
  if (mark) return mark
  throw new StoreLost(
    `${path} is not a readable mark of a store. Remove it to continue: this start then cannot detect whether writes are ` +
      'missing, and takes the store for a restored one, so that clients list again',
  )
}

function parse(text: string): StoreMark | undefined {
  try {
    const { store, revision, at } = JSON.parse(text) as Partial<Record<keyof StoreMark, unknown>>
    return typeof store === 'number' && typeof revision === 'number' && typeof at === 'string'
      ? { store, revision, at }
      : undefined
  } catch {
    return undefined
  }
}

/** The mark is on the disk when this resolves. A concurrent reader sees the old or the new one, whole. */
export async function writeMark(path: string, mark: StoreMark, writer: string): Promise<void> {
  // Each process has a name of its own for the new file: several may write at once.
  const early = `${path}.${writer}.new`
  try {
    const file = await open(early, 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(mark)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(early, path)
  } catch (error) {
    await rm(early, { force: true }).catch(() => {})
    throw error
  }
  const directory = await open(dirname(path), 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** The same, synchronously, for the writing thread. */
export function writeMarkNow(path: string, mark: StoreMark, writer: string): void {
  const early = `${path}.${writer}.new`
  try {
    const file = openSync(early, 'w', 0o600)
    try {
      writeSync(file, `${JSON.stringify(mark)}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(early, path)
  } catch (error) {
    rmSync(early, { force: true })
    throw error
  }
  const directory = openSync(dirname(path), 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
