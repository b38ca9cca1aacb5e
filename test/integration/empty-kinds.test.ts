import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/one-server.ts'
import { openWatch } from '../support/open-watch.ts'

const policies = '/apis/admissionregistration.k8s.io/v1'
const flows = '/apis/flowcontrol.apiserver.k8s.io/v1'

/**
 * What kube-apiserver 1.36.4 says of them in discovery, but for the verbs, and for the hashes of the mutating policies, which it
 * stores in v1beta1.
 */
const kinds = [
  [policies, 'mutatingadmissionpolicies', 'MutatingAdmissionPolicy', 'mHCkTKpUTrE=', false],
  [policies, 'mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', 'ZKgZT1uTmZ0=', false],
  [policies, 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', '6OxvlMmQ6is=', true],
  [policies, 'validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', 'v9715VZqakg=', false],
  [flows, 'flowschemas', 'FlowSchema', 'GJVAJZSZBIw=', true],
  [flows, 'prioritylevelconfigurations', 'PriorityLevelConfiguration', 'Kir5PVfvNeI=', true],
] as const

test('empty kinds: a server built on k8s.io/apiserver can list and watch what it needs to be ready', async () => {
  const { simulation, server, send } = await startServer('empty kinds')
  for (const [root, plural, kind, storageVersionHash, hasStatus] of kinds) {
    const path = `${root}/${plural}`
    const { resources } = (await send('GET', root)).body
    const verbs = ['get', 'list', 'watch']
    assert.deepEqual(
      resources.filter(({ name }: { name: string }) => name.split('/')[0] === plural),
      [
        {
          ...{ name: plural, singularName: kind.toLowerCase(), namespaced: false, kind, verbs },
          ...(root === policies ? { categories: ['api-extensions'] } : {}),
          storageVersionHash,
        },
        ...(hasStatus
          ? [{ name: `${plural}/status`, singularName: '', namespaced: false, kind, verbs: ['get'] }]
          : []),
      ],
    )
    const { status, body } = await send('GET', path)
    assert.deepEqual([status, body.kind, body.items], [200, `${kind}List`, []])
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const watch = await simulation.settle(openWatch(server, `${path}?watch=true&${initial}`))
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
    assert.deepEqual(
      watch.events.map(({ type, object }) => [type, object.kind]),
      [['BOOKMARK', kind]],
    )
    watch.cut()
  }
})

test('empty kinds: nothing is accepted that would have no effect, and the answer says why', async () => {
  const { send } = await startServer('empty kinds refuse')
  for (const [root, plural, kind] of kinds) {
    const path = `${root}/${plural}`
    const object = { apiVersion: root.slice('/apis/'.length), kind, metadata: { name: 'one' }, spec: {} }
    const why = root === policies ? /does not enforce admission policies/ : /has no API priority and fairness/
    const applied = { 'content-type': 'application/apply-patch+yaml' }
    const tries = [
      ['POST', path, object],
      ['PUT', `${path}/one`, object],
      ['PATCH', `${path}/one?fieldManager=a`, object, applied],
      ['DELETE', `${path}/one`],
      ['DELETE', path],
    ] as const
    for (const [method, target, body, headers] of tries) {
      const answer = await send(method, target, body, headers)
      assert.equal(answer.status, 405, `${method} ${target}`)
      assert.match(answer.body.message, why)
    }
    assert.equal((await send('GET', `${path}/one`)).status, 404)
  }
})
