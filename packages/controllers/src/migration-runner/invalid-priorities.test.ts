import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MigrationObject, viewOf } from '@strata/insight'
import { InvalidPriorities } from './invalid-priorities.ts'

const migration = (annotations: Readonly<Record<string, string>>, type = 'Running') => {
  const object: MigrationObject = {
    metadata: { name: 'm', uid: 'u', annotations },
    status: { conditions: [{ type, status: 'True' }] },
  }
  return viewOf('migration.k8s.io', object)
}
const priority = (text: string, type?: string) => migration({ 'strata.dev/priority': text }, type)

test('priority: one that is no whole number is reported once, and again when it is another one', () => {
  const reported: string[] = []
  const unread = new InvalidPriorities((_, each) => void (each.kind === 'unread' && reported.push(each.text)))
  const looks = [
    migration({}),
    priority('7'),
    priority('high'),
    priority('high'),
    priority('1.5'),
    priority('-3'),
  ]
  for (const view of looks) unread.look([view])
  unread.look([priority('over', 'Succeeded')])
  assert.deepEqual(reported, ['high', '1.5'])
})
