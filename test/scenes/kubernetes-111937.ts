import assert from 'node:assert/strict'
import type { Scene } from './scene.ts'
import { widgetDefinition, widgets } from './widgets.ts'

/** Managers of fields in a version that is gone. */
export const scene: Scene = {
  thread: 'kubernetes/kubernetes#111937',
  story:
    'Objects are migrated and the old version is gone, but managedFields still name it, and an apply fails.',
  async play(ground) {
    const next = widgetDefinition(ground, 'v1', { v1: {} })
    const name = next.metadata.name
    await ground.define(widgetDefinition(ground, 'v1beta1', { v1beta1: {} }))
    await ground.create(widgets(ground, 'v1beta1', 1))
    const [applied] = widgets(ground, 'v1beta1', 1)
    const apply = ['apply', '--server-side', '--force-conflicts', '--field-manager=gitops', '-f', '-']
    await ground.must(apply, applied)
    const file = await ground.write('new.yaml', next)
    const { code, said } = await ground.strata('crd', 'upgrade', file, '--yes', '--accept', 'observed-clean')
    assert.equal(code, 0, said)
    const managers = ['get', name, 'a', '-n', ground.name, '--show-managed-fields']
    const versions = 'jsonpath={.metadata.managedFields[*].apiVersion}'
    assert.match(await ground.must([...managers, '-o', versions]), /v1beta1/)
    const [wanted] = widgets(ground, 'v1', 1)
    // Strata's servers drop what a manager owns in a version that is gone; kube-apiserver refuses every apply from then on.
    if (!(await ground.isStrata()))
      await ground.refused(apply, wanted, /request to convert CR to an invalid group\/version/)
    const clean = ['clean-managed-fields', name, '--accept', 'observed-clean']
    const unconfirmed = await ground.strata(...clean)
    assert.equal(unconfirmed.code, 2, unconfirmed.said)
    const rehearsed = await ground.strata(...clean, '--dry-run')
    assert.equal(rehearsed.code, 0, rehearsed.said)
    assert.match(rehearsed.stderr, /v1beta1 +gitops +Apply +- +1/)
    assert.match(await ground.must([...managers, '-o', versions]), /v1beta1/)
    const cleaned = await ground.strata(...clean, '--yes')
    assert.equal(cleaned.code, 0, cleaned.said)
    assert.doesNotMatch(await ground.must([...managers, '-o', versions]), /v1beta1/)
    await ground.must(apply, wanted)
    const again = await ground.strata(...clean, '--yes')
    assert.equal(again.code, 0, again.said)
    assert.match(again.stdout, /nothing to clean/)
  },
}
