import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RefusalClass, refusalClassOf } from './refusal-class.ts'

const rows: readonly [reason: string, message: string, want: RefusalClass][] = [
  ['Invalid', 'Lamp "a" is invalid: spec.watts: Invalid value: "string"', 'schema'],
  ['Invalid', 'Lamp "a" is invalid: spec.color: Required value', 'schema'],
  ['Invalid', 'spec.selector: Invalid value: {}: field is immutable', 'immutable field'],
  ['Denied', 'admission webhook "guard" denied the request: no', 'denied by admission'],
  ['WebhookUnavailable', 'failed calling webhook "guard": connection refused', 'webhook down'],
  ['NamespaceTerminating', 'because it is being terminated', 'terminating namespace'],
  ['ConversionFailed', 'conversion webhook for g/v1 failed', 'conversion'],
  ['Undecodable', 'no kind is registered', 'undecodable'],
  ['Forbidden', 'cannot patch', 'forbidden'],
  ['TooLarge', 'request is too large', 'too large'],
  ['NoDryRun', 'webhook "w" does not support dry run', 'no dry run'],
  ['Throttled', 'too many requests', 'other'],
]
for (const [reason, message, want] of rows) {
  test(`refusal class of ${reason}, ${message}: ${want}`, () =>
    assert.equal(refusalClassOf({ reason, message }), want))
}
