import assert from 'node:assert/strict'
import type { Scene } from './scene.ts'
import { missingVersion, widgetDefinition, widgets } from './widgets.ts'

/** The plan says before the upgrade what a rollback needs, and the same command leads back. */
export const scene: Scene = {
  thread: 'crossplane/crossplane#6148',
  story: 'A release brings a new version and stores it at once, so that the release before cannot come back.',
  async play(ground) {
    const before = widgetDefinition(ground, 'v1beta1', { v1beta1: {} })
    const after = widgetDefinition(ground, 'v1', { v1beta1: {}, v1: {} })
    const name = after.metadata.name
    await ground.define(before)
    await ground.create(widgets(ground, 'v1beta1'))
    const newFile = await ground.write('new.yaml', after)
    const planned = await ground.strata('crd', 'upgrade', newFile, '--dry-run', '--accept', 'observed-clean')
    assert.match(planned.said, /Rollback: the old file is refused afterwards/)

    await ground.must(['apply', '-f', '-'], after)
    await ground.create(widgets(ground, 'v1', 7))
    await ground.refused(['apply', '-f', '-'], before, missingVersion('v1'))

    const oldFile = await ground.write('old.yaml', before)
    const { code, said } = await ground.strata(
      'crd',
      'upgrade',
      oldFile,
      '--yes',
      '--accept',
      'observed-clean',
    )
    assert.equal(code, 0, said)
    assert.equal(await ground.storedVersions(before), '["v1beta1"]')
    const versions = ['get', name, '-n', ground.name, '-o', 'jsonpath={.items[*].apiVersion}']
    assert.equal((await ground.must(versions)).split(' ').length, 7)
  },
}
