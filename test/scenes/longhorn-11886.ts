import assert from 'node:assert/strict'
import type { Scene } from './scene.ts'
import { missingVersion, widgetDefinition, widgets } from './widgets.ts'

/** Neither forward nor back: migrate, prune, and the new release goes in. */
export const scene: Scene = {
  thread: 'longhorn/longhorn#11886',
  story: 'Objects are still stored in v1beta1. The new release is refused, and so is the one before.',
  async play(ground) {
    const oldest = widgetDefinition(ground, 'v1beta1', { v1beta1: {} })
    const current = widgetDefinition(ground, 'v1beta2', { v1beta1: {}, v1beta2: {} })
    const next = widgetDefinition(ground, 'v1beta2', { v1beta2: {} })
    const name = next.metadata.name
    await ground.define(oldest)
    await ground.create(widgets(ground, 'v1beta1'))
    await ground.define(current)
    await ground.refused(['apply', '-f', '-'], next, missingVersion('v1beta1'))
    await ground.refused(['apply', '-f', '-'], oldest, missingVersion('v1beta2'))

    const { code, verdict } = await ground.best()
    const migrated = await ground.strata('migrate', name)
    assert.equal(migrated.code, code, migrated.said)
    assert.match(migrated.stdout, verdict)
    const pruned = await ground.strata('prune', name, '--accept', 'observed-clean')
    assert.equal(pruned.code, 0, pruned.said)
    assert.equal(await ground.storedVersions(next), '["v1beta2"]')
    assert.match(await ground.must(['apply', '-f', '-'], next), /configured/)
    assert.equal(await ground.must(['get', name, 'c', '-n', ground.name, '-o', 'jsonpath={.spec.size}']), '2')
  },
}
