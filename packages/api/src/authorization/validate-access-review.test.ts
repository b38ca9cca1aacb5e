import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../machinery/field-error.ts'
import type { SubjectAccessReview } from './access-review.ts'
import {
  validateAccessReview,
  validateLocalAccessReview,
  validateSelfAccessReview,
} from './validate-access-review.ts'

const resourceAttributes = { verb: 'get', resource: 'configmaps' }
const user = 'u'
type Row = [
  name: string,
  validate: (review: SubjectAccessReview) => readonly Parameters<typeof fieldErrorText>[0][],
  review: Partial<SubjectAccessReview>,
  want: readonly string[],
]
const cases: readonly Row[] = [
  ['about a resource', validateAccessReview, { spec: { user, resourceAttributes } }, []],
  ['about a group', validateAccessReview, { spec: { groups: ['g'], resourceAttributes } }, []],
  ['about oneself', validateSelfAccessReview, { spec: { resourceAttributes } }, []],
  [
    'without a user',
    validateAccessReview,
    { spec: { resourceAttributes } },
    ['spec.user: Invalid value: "": at least one of user or group must be specified'],
  ],
  [
    'about nothing',
    validateSelfAccessReview,
    {},
    [
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
  ],
  [
    'about two things',
    validateSelfAccessReview,
    { spec: { resourceAttributes, nonResourceAttributes: { path: '/x', verb: 'get' } } },
    [
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ],
  ],
  [
    'with a name of its own',
    validateSelfAccessReview,
    { metadata: { name: 'x', managedFields: [] }, spec: { resourceAttributes } },
    ['metadata: Invalid value: {"name":"x"}: must be empty'],
  ],
  [
    'about another namespace',
    validateLocalAccessReview,
    {
      metadata: { namespace: 'here' },
      spec: { user, resourceAttributes: { ...resourceAttributes, namespace: 'there' } },
    },
    ['spec.resourceAttributes.namespace: Invalid value: "there": must match metadata.namespace'],
  ],
  [
    'about a path, in a namespace',
    validateLocalAccessReview,
    { metadata: { namespace: 'here' }, spec: { user, nonResourceAttributes: { path: '/x', verb: 'get' } } },
    [
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request',
    ],
  ],
  [
    'with an empty selector',
    validateSelfAccessReview,
    { spec: { resourceAttributes: { ...resourceAttributes, labelSelector: {} } } },
    [
      'spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
    ],
  ],
  [
    'with an operator of the future',
    validateSelfAccessReview,
    {
      spec: {
        resourceAttributes: {
          ...resourceAttributes,
          fieldSelector: { requirements: [{ key: 'a', operator: 'Like', values: ['b'] }] },
        },
      },
    },
    [],
  ],
]
for (const [name, validate, review, want] of cases) {
  test(`access review: ${name}`, () =>
    assert.deepEqual(validate({ metadata: {}, ...review }).map(fieldErrorText), want))
}
