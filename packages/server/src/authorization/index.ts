export type { Access, Requester } from './access.ts'
export { resourceAccess } from './access.ts'
export {
  AccessUndecided,
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  createAuthorizer,
  createRbac,
  type Decision,
  superusers,
} from './authorizer.ts'
export { Escalation } from './escalation.ts'
export { followPolicy } from './follow-policy.ts'
export { refusal } from './forbidden.ts'
export { checkIdentityLease } from './identity-lease-writes.ts'
export { impersonate } from './impersonate.ts'
export { Policy } from './rbac-policy.ts'
export { missingRights } from './rule-cover.ts'
