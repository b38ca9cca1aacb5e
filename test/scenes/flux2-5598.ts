import assert from 'node:assert/strict'
import type { Scene } from './scene.ts'
import { missingVersion, widgetDefinition, widgets } from './widgets.ts'

const plurals = ['buckets', 'charts', 'releases']

/** All CRDs of a release fail to patch at once; one command brings all of them to the new one. */
export const scene: Scene = {
  thread: 'fluxcd/flux2#5598',
  story: 'A release drops v1beta1 from all of its CRDs, and none of them can be applied.',
  async play(ground) {
    const born = plurals.map((each) => widgetDefinition(ground, 'v1beta1', { v1beta1: {} }, each))
    await ground.define(...born)
    for (const each of plurals) await ground.create(widgets(ground, 'v1beta1', 3, each))
    const between = plurals.map((each) => widgetDefinition(ground, 'v1', { v1beta1: {}, v1: {} }, each))
    await ground.define(...between)
    const next = plurals.map((each) => widgetDefinition(ground, 'v1', { v1: {} }, each))
    for (const each of next) await ground.refused(['apply', '-f', '-'], each, missingVersion('v1beta1'))

    const file = await ground.write('release.yaml', ...next)
    const { code, said } = await ground.strata('crd', 'upgrade', file, '--yes', '--accept', 'observed-clean')
    assert.equal(code, 0, said)
    for (const each of next) {
      assert.equal(await ground.storedVersions(each), '["v1"]')
      assert.match(await ground.must(['apply', '-f', '-'], each), /unchanged|configured/)
      const objects = await ground.must(['get', each.metadata.name, '-n', ground.name, '-o', 'name'])
      assert.equal(objects.trim().split('\n').length, 3, each.metadata.name)
    }
  },
}
