import assert from 'node:assert/strict'
import type { Scene } from './scene.ts'
import { missingVersion, widgetDefinition, widgets } from './widgets.ts'

/** `kubectl get` shows the version that it asked for; only reading or rewriting the store shows what is stored. */
export const scene: Scene = {
  thread: 'aws/karpenter-provider-aws#7734',
  story: 'Every object was checked to be v1, and yet the server refuses a CRD without v1beta1.',
  async play(ground) {
    const next = widgetDefinition(ground, 'v1', { v1: {} })
    const name = next.metadata.name
    await ground.define(widgetDefinition(ground, 'v1beta1', { v1beta1: {} }))
    await ground.create(widgets(ground, 'v1beta1'))
    await ground.define(widgetDefinition(ground, 'v1', { v1: {}, v1beta1: {} }))
    const versions = ['get', name, '-n', ground.name, '-o', 'jsonpath={.items[*].apiVersion}']
    assert.deepEqual([...new Set((await ground.must(versions)).split(' '))], [`${ground.group}/v1`])
    await ground.refused(['apply', '-f', '-'], next, missingVersion('v1beta1'))

    // Strata reads its store; of another cluster it does not claim to know.
    const before = await ground.strata('verify', name)
    assert.equal(before.code, (await ground.isStrata()) ? 1 : 6, before.said)
    assert.match(before.stdout, (await ground.isStrata()) ? /stale/ : /unknown/)
    const early = await ground.strata('prune', name, '--accept', 'observed-clean')
    assert.notEqual(early.code, 0, early.said)
    assert.equal(await ground.storedVersions(next), '["v1beta1","v1"]')

    const { code } = await ground.best()
    const migrated = await ground.strata('migrate', name)
    assert.equal(migrated.code, code, migrated.said)
    const pruned = await ground.strata('prune', name, '--accept', 'observed-clean')
    assert.equal(pruned.code, 0, pruned.said)
    assert.match(await ground.must(['apply', '-f', '-'], next), /configured/)
  },
}
