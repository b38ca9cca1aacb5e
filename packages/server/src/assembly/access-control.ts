import { onceKnown, type World } from '@strata/world'
import {
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  checkIdentityLease,
  createAuthorizer,
  createRbac,
  Escalation,
  followPolicy,
  Policy,
  refusal,
  resourceAccess,
} from '../authorization/index.ts'
import {
  localSubjectAccessReview,
  type Reviewers,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from '../handlers/index.ts'
import type { IntendedWrite, ServedApi } from '../registry/index.ts'
import type { WatchCache } from '../watch-cache/index.ts'

/** The names of upstream's `--authorization-mode`. AlwaysDeny allows superusers only. */
export const authorizationModes = ['RBAC', 'AlwaysAllow', 'AlwaysDeny'] as const
export type AuthorizationMode = (typeof authorizationModes)[number]

/** The parts that decide what a user may do. */
export interface AccessControl {
  readonly authorizer: Authorizer
  /** Throws if the write needs a right beyond the one on the resource: escalation, identity Leases, create by update. */
  readonly checkWrite: (write: IntendedWrite) => void | Promise<void>
  readonly reviewers: Reviewers
}

export function createAccessControl(
  /** The modes, or what decides instead of them. */
  decides: readonly AuthorizationMode[] | Authorizer,
  { cache, api, world }: { readonly cache: WatchCache; readonly api: ServedApi; readonly world: World },
): AccessControl {
  const policy = new Policy()
  followPolicy(policy, cache, api.codecs, world.log)
  const byMode: Readonly<Record<AuthorizationMode, Authorizer>> = {
    RBAC: createRbac(policy),
    AlwaysAllow: alwaysAllow,
    AlwaysDeny: alwaysDeny,
  }
  const authorizer = 'authorize' in decides ? decides : createAuthorizer(decides.map((mode) => byMode[mode]))
  const escalation = new Escalation(policy, authorizer)
  return {
    authorizer,
    checkWrite: (write) => {
      const { resource, requester, next, stored } = write
      const { definition } = resource
      const { user, name } = requester
      const mayCreate = checkCreate(authorizer, write)
      const mayLease = (): void | Promise<void> =>
        checkIdentityLease(authorizer, { definition, requester: user, next, stored })
      const mayGrant = (): void | Promise<void> =>
        next && escalation.check({ definition, requester: user, askedName: name, next, stored })
      return onceKnown(onceKnown(mayCreate, mayLease), mayGrant)
    },
    reviewers: {
      'selfsubjectaccessreviews.authorization.k8s.io': selfSubjectAccessReview(authorizer),
      'subjectaccessreviews.authorization.k8s.io': subjectAccessReview(authorizer),
      'localsubjectaccessreviews.authorization.k8s.io': localSubjectAccessReview(authorizer),
      'selfsubjectrulesreviews.authorization.k8s.io': selfSubjectRulesReview(authorizer),
    },
  }
}

/** An update or a patch of a missing object creates it, and needs the right to create. */
function checkCreate(
  authorizer: Authorizer,
  { resource, requester, next, stored }: IntendedWrite,
): void | Promise<void> {
  const { user, verb, name } = requester
  if (!next || stored || verb === 'create') return
  const { definition, group } = resource
  const { namespace = '' } = next.metadata
  const access = resourceAccess('create', { group, resource: definition.resource, namespace, name })
  return onceKnown(authorizer.authorize(user, access), ({ allowed, reason }) => {
    if (!allowed) throw refusal(user, access, reason)
  })
}
