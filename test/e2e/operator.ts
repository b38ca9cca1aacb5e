import assert from 'node:assert/strict'
import type { Store } from '@strata/server/store'
import type { Transport } from '@strata/world'
import { ask } from '../support/ask.ts'
import { type LoadedKind, type LoadedVersion, loadedPath, loadedPrefix } from '../support/loaded-kind.ts'

const never = new AbortController().signal
/** Requests at a time. */
const hands = 8

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
}

/**
 * Writes every object again as it is, through all servers in turn, and so in the current storage version. An object that is
 * gone or has changed since the list is fine too: the client that changed it has stored it in that version.
 */
export async function rewriteAll(
  through: readonly Transport[],
  kind: LoadedKind,
  versionName: LoadedVersion,
): Promise<number> {
  const path = loadedPath(kind, versionName)
  const [first] = through
  assert.ok(first)
  const { status, body } = await ask(first, 'GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  const items: readonly Item[] = body.items
  const left = items.entries()
  const work = async (): Promise<void> => {
    for (const [index, { metadata }] of left) {
      const server = through[index % through.length] ?? first
      const answer = await ask(server, 'PATCH', `${path}/${metadata.name}`, {})
      assert.ok([200, 404].includes(answer.status), JSON.stringify(answer.body))
    }
  }
  await Promise.all(Array.from({ length: hands }, work))
  return items.length
}

/** How many objects stand there in which version, by their bytes. */
export async function storedVersions(store: Store, kind: LoadedKind): Promise<Record<string, number>> {
  const { entries } = await store.list({ prefix: loadedPrefix(kind) }, never)
  const counts: Record<string, number> = {}
  for (const { value } of entries) {
    const { apiVersion } = JSON.parse(Buffer.from(value).toString()) as { apiVersion: string }
    counts[apiVersion] = (counts[apiVersion] ?? 0) + 1
  }
  return counts
}

/** A list is exactly the state of the store at its resourceVersion: complete and readable. */
export async function assertReadable(
  server: Transport,
  store: Store,
  kind: LoadedKind,
  versionName: LoadedVersion,
): Promise<void> {
  const { status, body } = await ask(server, 'GET', loadedPath(kind, versionName))
  assert.equal(status, 200, JSON.stringify(body))
  const revision = Number(body.metadata.resourceVersion)
  const { entries } = await store.list({ prefix: `${loadedPrefix(kind)}default/`, revision }, never)
  const stored = entries.map(({ key, value, revision: written }) => [
    key.slice(key.lastIndexOf('/') + 1),
    kind.colourIn(JSON.parse(Buffer.from(value).toString())),
    String(written),
  ])
  const listed = body.items.map((item: Item & Record<string, unknown>) => [
    item.metadata.name,
    kind.colourIn(item),
    item.metadata.resourceVersion,
  ])
  assert.deepEqual(listed, stored)
  assert.ok(stored.length > 0)
}
