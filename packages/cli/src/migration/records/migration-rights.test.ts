import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type SelfSubjectAccessReview } from '@strata/api'
import type { Client } from '@strata/client'
import { missingText, neededRights, observeMissing } from './migration-rights.ts'

const lamps = { group: 'light.example.dev', resource: 'lamps', verbs: ['get', 'list', 'patch', 'update'] }
const both = ['migration.k8s.io', 'storagemigration.k8s.io']
const never = new AbortController().signal

/** Answers as if only what is named were allowed: `verb resource`. */
const clientOf = (answer: (asked: string) => boolean | ApiError): Client =>
  ({
    resource: () => ({
      create: async ({ spec }: SelfSubjectAccessReview) => {
        const { verb, resource, subresource } = spec?.resourceAttributes ?? {}
        const answered = answer(`${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`)
        if (answered instanceof ApiError) throw answered
        return { status: { allowed: answered } }
      },
    }),
  }) as unknown as Client

const cases: ReadonlyArray<
  [name: string, groups: readonly string[], answer: (asked: string) => boolean | ApiError, want: string]
> = [
  ['all rights', both, () => true, ''],
  [
    'those of the objects only: each that is missing is named at once',
    both,
    (asked) => asked.endsWith(' lamps'),
    'list, get, create, patch, delete of storageversionmigrations.migration.k8s.io; list of storageversionmigrations.storagemigration.k8s.io; patch of storageversionmigrations.migration.k8s.io/status',
  ],
  [
    'elsewhere nothing is written down in the cluster',
    [],
    () => false,
    'get, list, patch of lamps.light.example.dev (in all namespaces)',
  ],
  ['no server answers that question', both, () => new ApiError(404, 'NotFound', 'no'), ''],
]

for (const [name, groups, answer, want] of cases) {
  test(`rights to migrate: ${name}`, async () => {
    const missing = await observeMissing(clientOf(answer), neededRights(lamps, groups), never)
    const name = 'lamps.light.example.dev'
    const text = `not allowed: the user of this kubeconfig context lacks ${want}; an administrator can grant what "strata rbac migrate ${name}" prints`
    assert.equal(missing.length === 0 ? '' : missingText(missing, name), want === '' ? '' : text)
  })
}

test('rights to migrate: a resource without patches is updated', () => {
  const verbs = neededRights({ ...lamps, verbs: ['list', 'update'] }, []).map(({ verb }) => verb)
  assert.deepEqual(verbs, ['get', 'list', 'update'])
})

test('rights to migrate: of one namespace only', async () => {
  const asked: unknown[] = []
  const client = {
    resource: () => ({
      create: async ({ spec }: SelfSubjectAccessReview) => {
        asked.push(spec?.resourceAttributes?.namespace)
        return { status: { allowed: spec?.resourceAttributes?.verb !== 'patch' } }
      },
    }),
  } as unknown as Client
  const missing = await observeMissing(client, neededRights(lamps, [], 'dark'), never)
  assert.deepEqual(asked, ['dark', 'dark', 'dark'])
  assert.match(
    missingText(missing, 'lamps'),
    /lacks patch of lamps\.light\.example\.dev \(in namespace dark\);/,
  )
})

test('rights to migrate: a server that is away says nothing about rights', async () => {
  const away = clientOf(() => new ApiError(503, 'ServiceUnavailable', 'no'))
  await assert.rejects(observeMissing(away, neededRights(lamps, both), never), /no/)
})
