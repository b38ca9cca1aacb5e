import assert from 'node:assert/strict'
import type { Ground } from './ground.ts'
import { NotHere, type Scene } from './scene.ts'

/** Servers of two releases write two versions: nothing is migrated until they agree. */
export const scene: Scene = {
  thread: 'cybozu-go/neco#880',
  story: 'API servers of two releases run side by side, and a migrator rewrites objects back and forth.',
  async play(ground) {
    const name = ground.own?.mixedResource ?? (await findMixed(ground))
    if (ground.own) await showOneVersionOfTwo(ground, name, ground.own.contexts)
    const differ = /servers encode different versions/
    if (await ground.isStrata()) {
      const status = await ground.strata('status', name)
      assert.equal(status.code, 1, status.said)
      assert.match(status.stdout, differ)
    }
    const migrated = await ground.strata('migrate', name, '--agreement-timeout', '1s')
    assert.equal(migrated.code, 4, migrated.said)
    assert.match(migrated.said, differ)
    const verified = await ground.strata('verify', name)
    assert.equal(verified.code, 4, verified.said)
    assert.match(verified.stdout, /disagreed/)
  },
}

/** Each server stores an object in its own version. kubectl shows all in the one that it asked for; a census counts both. */
async function showOneVersionOfTwo(ground: Ground, name: string, contexts: readonly string[]): Promise<void> {
  const beacon = { apiVersion: 'lighthouse.example.dev/v1', kind: 'Beacon', spec: { everySeconds: 1 } }
  for (const context of contexts) {
    const metadata = { name: `by-${context}`, namespace: ground.name }
    await ground.must(['create', '--context', context, '-f', '-'], { ...beacon, metadata })
  }
  const shown = ['get', name, '-n', ground.name, '-o', 'jsonpath={.items[*].apiVersion}']
  const versions = new Set((await ground.must(shown)).split(' '))
  assert.equal(versions.size, 1, [...versions].join())
  const { stdout } = await ground.strata('census', name, '-o', 'json')
  const { encodings } = JSON.parse(stdout).resources[0].census
  assert.equal(encodings.length, contexts.length, stdout)
}

/** A resource that the servers of this cluster write in different versions; a StorageVersion calls it `group.resource`. */
async function findMixed(ground: Ground): Promise<string> {
  const written = '{range .items[*]}{.metadata.name} {.status.storageVersions[*].encodingVersion}{"\\n"}{end}'
  const { code, stdout } = await ground.kubectl(['get', 'storageversions', '-o', `jsonpath=${written}`])
  if (code !== 0) throw new NotHere('this cluster does not publish what each of its API servers writes')
  const lines = stdout.split('\n').map((line) => line.split(' '))
  const [name] = lines.find(([, ...versions]) => new Set(versions).size > 1) ?? []
  if (name === undefined) throw new NotHere('all API servers of this cluster write the same versions')
  const end = name.lastIndexOf('.')
  return `${name.slice(end + 1)}.${name.slice(0, end)}`
}
