import assert from 'node:assert/strict'
import type { Ground } from './ground.ts'
import { NotHere, type Scene } from './scene.ts'

const count = 200
const half = count / 2

/** An old key is in use for as long as one Secret is encrypted with it, and `verify` says so. */
export const scene: Scene = {
  thread: 'k3s-io/k3s#5933',
  story: 'Encrypting Secrets again stopped in the middle, the old key was removed, and Secrets were lost.',
  async play(ground) {
    const secrets = Array.from({ length: count }, (_, index) => ({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: `s-${index}`, namespace: ground.name } },
      stringData: { password: `p-${index}` },
    }))
    await ground.create(secrets)
    if (!(await ground.isStrata())) {
      const { code, said } = await ground.strata('verify', 'secrets')
      assert.equal(code, 6, said)
      assert.doesNotMatch(said, /\bproven\b.*\d/)
      return
    }
    if (!ground.own) throw new NotHere('the keys of this cluster are not for a scene to change')
    await ground.own.rotateKey()
    // A server writes under the new key once every server reads it.
    const { stdout } = await ground.untilExit(1, 'verify', 'secrets', '-o', 'json')
    const [before] = JSON.parse(stdout).resources
    assert.equal(before.verdict, 'stale')
    assert.ok(before.census.stale >= count, stdout)
    await stopHalfWay(ground)
    const between = JSON.parse((await ground.untilExit(1, 'verify', 'secrets', '-o', 'json')).stdout)
    const { stale } = between.resources[0].census
    assert.ok(stale >= count - half && stale <= before.census.stale - half, JSON.stringify(between))
    const migrated = await ground.strata('migrate', 'secrets')
    assert.equal(migrated.code, 0, migrated.said)
    const verified = await ground.strata('verify', 'secrets', '-o', 'json')
    const [after] = JSON.parse(verified.stdout).resources
    assert.deepEqual([verified.code, after.verdict, after.census.stale], [0, 'proven', 0])
    const read = ['get', 'secret', `s-${count - 1}`, '-n', ground.name, '-o', 'jsonpath={.data.password}']
    assert.equal(Buffer.from(await ground.must(read), 'base64').toString(), `p-${count - 1}`)
  },
}

/** `kubectl get secrets -o json | kubectl replace -f -`, which ends in the middle; kubectl shows nothing of that. */
async function stopHalfWay(ground: Ground): Promise<void> {
  const list = async () =>
    JSON.parse(
      await ground.must(['get', 'secrets', '-n', ground.name, '--sort-by=.metadata.name', '-o', 'json']),
    )
  const { items, ...rest } = await list()
  await ground.must(['replace', '-f', '-'], { ...rest, items: items.slice(0, half) })
  const shown = (await list()).items.map(shapeOf)
  assert.deepEqual([shown.length, new Set(shown).size], [count, 1], [...new Set(shown)].join('\n'))
}

/** Which fields it has, and not their values. */
function shapeOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value
  const fields = Object.entries(value).map(([name, each]) => `${name} ${shapeOf(each)}`)
  return `{${fields.toSorted().join()}}`
}
