import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideRevisions, type HelmRevision, revisionText } from './decide-revisions.ts'

/** `web 1 superseded, web 2 deployed` */
const read = (text: string): readonly HelmRevision[] =>
  text.split(', ').map((each) => {
    const [release = '', revision = '', status = ''] = each.split(' ')
    return { namespace: 'shop', name: `${release}.v${revision}`, release, revision: Number(revision), status }
  })

const rows: readonly [revisions: string, inUse: readonly string[]][] = [
  ['web 1 superseded, web 2 deployed', ['web.v2']],
  ['web 1 deployed, web 2 pending-upgrade', ['web.v1', 'web.v2']],
  ['web 1 deployed, web 2 failed', ['web.v1', 'web.v2']],
  ['web 1 failed, web 2 deployed', ['web.v2']],
  ['web 1 failed', ['web.v1']],
  ['web 1 pending-install', ['web.v1']],
  ['web 1 superseded, web 2 uninstalled', []],
  ['web 1 superseded, web 2 uninstalling', ['web.v2']],
  ['web 2 deployed, api 1 failed', ['web.v2', 'api.v1']],
]
for (const [revisions, inUse] of rows) {
  test(`Helm revisions: ${revisions}`, () => {
    const found = decideRevisions(read(revisions)).filter((each) => each.inUse)
    assert.deepEqual(
      found.map(({ name }) => name),
      inUse,
    )
  })
}

test('Helm revisions: a status that is not the usual one is named', () => {
  const [first, second] = read('web 1 deployed, web 2 pending-upgrade').map(revisionText)
  assert.deepEqual([first, second], ['shop/web (revision 1)', 'shop/web (revision 2, pending-upgrade)'])
})
