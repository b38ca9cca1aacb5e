import assert from 'node:assert/strict'
import { startDenyingWebhook } from './denying-webhook.ts'
import type { Scene } from './scene.ts'
import { widgetDefinition, widgets } from './widgets.ts'

/** A webhook refuses one object: it is named and set aside, and the others are migrated. */
export const scene: Scene = {
  thread: 'kubernetes-sigs/kube-storage-version-migrator#83',
  story: 'A webhook refuses one object, and the migrator sends it again and again.',
  async play(ground) {
    await ground.define(widgetDefinition(ground, 'v1', { v1: {} }))
    await ground.create(widgets(ground, 'v1'))
    const current = widgetDefinition(ground, 'v2', { v1: {}, v2: {} })
    const name = current.metadata.name
    await ground.define(current)
    await using webhook = await startDenyingWebhook('not in this namespace')
    const configuration = { kind: 'ValidatingWebhookConfiguration', metadata: { name: ground.name } }
    await ground.createBeside({
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', ...configuration },
      webhooks: [
        {
          ...{ name: `down.${ground.group}`, sideEffects: 'None', failurePolicy: 'Fail', timeoutSeconds: 2 },
          admissionReviewVersions: ['v1'],
          // A cluster elsewhere does not reach it, which refuses the object as well.
          clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
          objectSelector: { matchLabels: { name: 'c' } },
          rules: [
            { apiGroups: [ground.group], apiVersions: ['*'], operations: ['UPDATE'], resources: ['*'] },
          ],
        },
      ],
    } as typeof configuration)
    await ground.untilRefused(['label', name, 'c', '-n', ground.name, 'x=y'], /webhook/)

    const migrated = await ground.strata('migrate', name)
    assert.equal(migrated.code, 1, migrated.said)
    assert.match(migrated.stdout, /\bc\b.*webhook/s)
    const pruned = await ground.strata('prune', name, '--accept', 'observed-clean')
    assert.notEqual(pruned.code, 0, pruned.said)
    assert.equal(await ground.storedVersions(current), '["v1","v2"]', 'nothing is pruned after a failure')

    await ground.must(['delete', 'validatingwebhookconfiguration', ground.name])
    await ground.untilDone(['label', name, 'c', '-n', ground.name, 'x=y', '--overwrite'])
    const again = await ground.strata('migrate', name)
    assert.equal(again.code, (await ground.best()).code, again.said)
  },
}
