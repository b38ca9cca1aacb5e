import { type Applied, applyObject, isJsonObject, type JsonObject } from '@strata/api'
import { parseTokenFile, parseYaml } from '@strata/server/readers'
import type { FuzzRequest } from './requests/fuzz-server.ts'
import type { FuzzTarget } from './target.ts'
import { applyTarget } from './targets/apply.ts'
import { yamlTarget } from './targets/documents.ts'
import { requestsTarget } from './targets/requests.ts'
import { tokenFileTarget } from './targets/tokens.ts'

type DataOf = (live: JsonObject, next: JsonObject) => JsonObject

/** An apply after which `data` is what a mistake makes of it. */
const applyWith = (dataOf: DataOf): FuzzTarget =>
  applyTarget((application): Applied => {
    const outcome = applyObject(application)
    const before = application.live?.['data']
    if (outcome.outcome !== 'applied' || !isJsonObject(before)) return outcome
    const after = isJsonObject(outcome.object['data']) ? outcome.object['data'] : {}
    return { ...outcome, object: { ...outcome.object, data: dataOf(before, after) } }
  })

/** A binding that gives a group a role of the bootstrap policy, without anyone having asked for it. */
const bound = (group: string, role: string): FuzzRequest => ({
  ...{ method: 'POST', target: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', as: 'admin' },
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    ...{
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'mistake' },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  }),
})

const mistaken: Readonly<Record<string, FuzzTarget>> = {
  'apply keeps the old values': applyWith((live, next) =>
    Object.fromEntries(Object.entries(next).map(([key, value]) => [key, live[key] ?? value])),
  ),
  'apply removes nothing': applyWith((live, next) => ({ ...live, ...next })),
  'apply removes unowned fields': applyWith((live, next) =>
    Object.fromEntries(Object.entries(next).filter(([key, value]) => live[key] !== value)),
  ),
  'every user may do everything': requestsTarget([bound('system:authenticated', 'cluster-admin')]),
  'every user may read everything': requestsTarget([bound('system:authenticated', 'view')]),
  'anonymous requests may do everything': requestsTarget([bound('system:unauthenticated', 'cluster-admin')]),
  'every user of a token file is in system:masters': tokenFileTarget((text, path) => {
    const users = [...parseTokenFile(text, path)]
    return new Map(users.map(([token, user]) => [token, { ...user, groups: ['system:masters'] }]))
  }),
  'YAML loses the digits of large integers': yamlTarget((text) => {
    const read = parseYaml(text)
    return { ...read, value: JSON.parse(JSON.stringify(read.value) ?? 'null') as unknown }
  }),
  'YAML has no octal numbers of YAML 1.1': yamlTarget((text) =>
    parseYaml(text.replaceAll(/(?<=: )0(?=[0-7]+$)/gm, '')),
  ),
  'apply never conflicts': applyTarget((application) => applyObject({ ...application, force: true })),
}

/** The product with known mistakes, each as a target of its own: the oracles must notice every one. */
export const targets: readonly FuzzTarget[] = Object.entries(mistaken).map(([name, target]) => ({
  ...target,
  name,
}))
