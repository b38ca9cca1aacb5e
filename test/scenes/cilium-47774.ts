import assert from 'node:assert/strict'
import type { Scene } from './scene.ts'
import { missingVersion, widgetDefinition, widgets } from './widgets.ts'

/** No version in common: a bridge holds both for as long as the objects are rewritten. */
export const scene: Scene = {
  thread: 'cilium/cilium#47774',
  story:
    'The cluster was born several releases ago. The new CRD lacks the version in which everything is stored.',
  async play(ground) {
    const next = widgetDefinition(ground, 'v2', { v2: {} })
    const name = next.metadata.name
    await ground.define(widgetDefinition(ground, 'v2alpha1', { v2alpha1: {} }))
    await ground.create(widgets(ground, 'v2alpha1'))
    await ground.refused(['apply', '-f', '-'], next, missingVersion('v2alpha1'))

    const file = await ground.write('new.yaml', next)
    const planned = await ground.strata('crd', 'upgrade', file, '--dry-run', '--accept', 'observed-clean')
    assert.match(planned.said, /apply a bridge with the versions/)
    assert.equal(await ground.storedVersions(next), '["v2alpha1"]', 'a dry run writes nothing')
    const { code, said } = await ground.strata('crd', 'upgrade', file, '--yes', '--accept', 'observed-clean')
    assert.equal(code, 0, said)
    assert.equal(await ground.storedVersions(next), '["v2"]')
    const sizes = ['get', name, '-n', ground.name, '-o', 'jsonpath={.items[*].spec.size}']
    assert.equal(await ground.must(sizes), '0 1 2 3 4')
  },
}
