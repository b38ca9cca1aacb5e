import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Subject } from '@strata/api'
import { type Grant, Grants } from './grants.ts'

const ann: Subject = { kind: 'User', name: 'ann' }
const crew: Subject = { kind: 'Group', name: 'crew' }
const grantOf =
  (key: string) =>
  (subject: Subject): Grant => ({ key, roleRef: {}, reason: String(subject.name) })
const keysOf = (grants: readonly Grant[]): readonly string[] => grants.map(({ key }) => key)

test('grants: a subject that a binding names many times has one grant', () => {
  const grants = new Grants()
  let made = 0
  const grant = (subject: Subject): Grant => {
    made++
    return grantOf('b')(subject)
  }
  grants.set('a', [ann, crew], grantOf('a'), 'x')
  grants.set('b', Array.from({ length: 20_000 }, () => [ann, crew]).flat(), grant, 'x')
  assert.equal(made, 2)
  assert.deepEqual(keysOf(grants.ofUser('ann')), ['a', 'b'])
  assert.deepEqual(keysOf(grants.ofGroup('crew')), ['a', 'b'])
  grants.delete('b')
  assert.deepEqual(keysOf(grants.ofUser('ann')), ['a'])
  grants.delete('a')
  assert.ok(grants.isEmpty)
  assert.deepEqual(grants.ofGroup('crew'), [])
})

test('grants: an account is the same by the namespace it names and by that of its binding', () => {
  const grants = new Grants()
  const bot: Subject = { kind: 'ServiceAccount', name: 'bot' }
  grants.set('a', [bot, { ...bot, namespace: 'x' }, { ...bot, namespace: 'y' }], grantOf('a'), 'x')
  assert.deepEqual(keysOf(grants.ofUser('system:serviceaccount:x:bot')), ['a'])
  assert.deepEqual(keysOf(grants.ofUser('system:serviceaccount:y:bot')), ['a'])
  grants.set('a', [ann], grantOf('a'), 'x')
  assert.deepEqual(grants.ofUser('system:serviceaccount:y:bot'), [])
  assert.deepEqual(keysOf(grants.ofUser('ann')), ['a'])
})
