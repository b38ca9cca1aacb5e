// For the tests of this folder: files that go away with the test, and processes that do.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { silentLog } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import type { Store } from '../store.ts'
import { createSqliteStore, type SqliteStoreOptions } from './index.ts'

const world = { clock: nodeClock, random: createNodeRandom(), log: silentLog }
/** So rare that a test which needs it hangs: the push is tested. */
const pollMs = 3_600_000

export function temporaryPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'strata-sqlite-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'store.db')
}

export function openAt(path: string, options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  return createSqliteStore({ ...world, pollMs, path, ...options })
}

/** The caller closes it; `t.after` would be too late, because the file goes first. */
export async function withStore<T>(
  path: string,
  options: Partial<SqliteStoreOptions>,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openAt(path, options)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

export interface Actor {
  readonly process: ChildProcessByStdio<null, Readable, null>
  /** Its output, line by line. */
  readonly lines: AsyncIterator<string, undefined>
  /** Resolves when it is gone, and all its output can be read. */
  readonly gone: Promise<number | NodeJS.Signals | null>
}

/** Runs a role of `actor-for-test.ts` as a process of its own. It is ended with the test, whatever happens. */
export function start(t: TestContext, role: string, ...parameters: readonly string[]): Actor {
  const script = join(import.meta.dirname, 'actor-for-test.ts')
  const child = spawn(process.execPath, [script, role, ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  t.after(async () => {
    child.kill('SIGKILL')
    await gone
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { process: child, lines, gone }
}

export async function nextLine({ lines }: Actor): Promise<string> {
  const { value, done } = await lines.next()
  if (done) throw new Error('the process ended without a word')
  return value
}
