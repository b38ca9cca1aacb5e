// A process of its own for the tests of this folder: `node actor-for-test.ts <role> <path> …`.
import { writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { invariant, silentLog, sleep } from '@strata/world'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { commitNew } from '../contract/claims.ts'
import { bytes, text } from '../contract/harness.ts'
import { readOne, type Store } from '../store.ts'
import { createSqliteStore, type SqliteStoreOptions } from './index.ts'

const { signal } = new AbortController()
const [role, path = '', ...parameters] = process.argv.slice(2)

// Unbuffered: a line printed before a kill -9 is printed.
const say = (line: string): void => {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      // The test does not read for now.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

const open = (options: Partial<SqliteStoreOptions> = {}): Promise<Store> =>
  createSqliteStore({
    ...{ path, clock: nodeClock, random: createNodeRandom(), log: silentLog, pollMs: 3_600_000 },
    ...options,
  })

/** Adds one to a counter that other processes count on as well, and records each step under a name of its own. */
async function count(name: string, times: number): Promise<void> {
  const store = await open()
  let done = 0
  const hand = async (): Promise<void> => {
    while (done < times) {
      const step = done++
      for (;;) {
        const counter = await readOne(store, '/counter', signal)
        const next = Number(text(counter) ?? 0) + 1
        const outcome = await store.commit(
          {
            writes: [
              { kind: 'put', key: '/counter', value: bytes(`${next}`) },
              { kind: 'put', key: `/steps/${name}/${step}`, value: bytes(`${next}`) },
            ],
            guards: [{ key: '/counter', revision: counter?.revision ?? 'absent' }],
          },
          signal,
        )
        if (outcome.outcome === 'committed') break
      }
    }
  }
  await Promise.all(Array.from({ length: 4 }, hand))
  await store.close()
  say('done')
}

/** Prints the value of every change of the counter, until it is `last`. */
async function watch(last: string): Promise<void> {
  const store = await open()
  say('watching')
  for await (const { changes } of store.watch('/counter', 1, signal)) {
    for (const change of changes) if (change.kind === 'put') say(`${text(change)}`)
    if (changes.some((change) => change.kind === 'put' && text(change) === last)) break
  }
  await store.close()
}

/** Writes triples for ever, and prints each one that was acknowledged. */
async function writeTriples(round: string): Promise<void> {
  const store = await open()
  let next = 0
  const hand = async (): Promise<void> => {
    for (;;) {
      const name = `${round}-${next++}`
      const value = bytes(name.repeat(200))
      const writes = ['a', 'b', 'c'].map((part) => ({
        kind: 'put' as const,
        key: `/triples/${name}/${part}`,
        value,
      }))
      await store.commit({ writes, guards: writes.map(({ key }) => ({ key, revision: 'absent' })) }, signal)
      say(name)
    }
  }
  await Promise.all(Array.from({ length: 24 }, hand))
}

/** Creates keys for ever, and prints the outcome of each. With a mark, it records the revision all the time. */
async function claim(prefix: string, markPath: string): Promise<void> {
  const store = await open(markPath === '' ? {} : { markPath, pollMs: 5 })
  const value = new Uint8Array(3_000)
  let next = 0
  const hand = async (): Promise<void> => {
    for (;;) {
      const key = `${prefix}${next++}`
      const claim = await commitNew(store, key, value, signal)
      say(JSON.stringify([key, claim]))
      // Failures come faster than they are read.
      if (claim.outcome !== 'committed') await sleep(nodeClock, 5)
    }
  }
  await Promise.all(Array.from({ length: 4 }, hand))
}

/** Takes the write lock, and stops with it in hand. */
function freeze(): void {
  const database = new DatabaseSync(path)
  database.exec('BEGIN IMMEDIATE')
  database.exec(`INSERT INTO current VALUES ('/half', 1, 1)`)
  say('holding')
  process.kill(process.pid, 'SIGSTOP')
  database.exec('ROLLBACK')
  database.close()
  say('released')
}

const [first = '', second = ''] = parameters
switch (role) {
  case 'count':
    await count(first, Number(second))
    break
  case 'watch':
    await watch(first)
    break
  case 'triples':
    await writeTriples(first)
    break
  case 'claim':
    await claim(first, second)
    break
  case 'freeze':
    freeze()
    break
  default:
    invariant(false, `no such role: ${role}`)
}
