/** Why the write of an object would be refused, as a person has to deal with it. */
export type RefusalClass =
  | 'schema'
  | 'immutable field'
  | 'denied by admission'
  | 'webhook down'
  | 'terminating namespace'
  | 'conversion'
  | 'undecodable'
  | 'forbidden'
  | 'too large'
  | 'no dry run'
  | 'other'

const byReason: Readonly<Record<string, RefusalClass>> = {
  Denied: 'denied by admission',
  WebhookUnavailable: 'webhook down',
  NamespaceTerminating: 'terminating namespace',
  NamespaceGone: 'terminating namespace',
  ConversionFailed: 'conversion',
  Undecodable: 'undecodable',
  Forbidden: 'forbidden',
  Unauthorized: 'forbidden',
  TooLarge: 'too large',
  NoDryRun: 'no dry run',
}

const immutable = /immutable|may not (?:be changed|change)|cannot be (?:changed|updated|modified)/i

export function refusalClassOf({
  reason,
  message,
}: {
  readonly reason: string
  readonly message: string
}): RefusalClass {
  if (reason === 'Invalid') return immutable.test(message) ? 'immutable field' : 'schema'
  return byReason[reason] ?? 'other'
}

/** What helps; the server's message names the field, the webhook or the right. */
export const remedies: Readonly<Record<RefusalClass, string>> = {
  schema: 'these objects do not fit the schema: change them, or loosen the schema until they are migrated',
  'immutable field': 'a rule compares old and new: change the rule, or create these objects anew',
  'denied by admission': 'change these objects or the policy, or exempt updates that change nothing',
  'webhook down': 'start the webhook, or remove its configuration; then plan again',
  'terminating namespace': 'wait until the namespace is gone, or remove what keeps it',
  conversion: 'repair the conversion webhook of the CRD; then plan again',
  undecodable: 'no server can read these objects, so no migration can change them',
  forbidden: 'an administrator has to grant the right that is named',
  'too large': 'make these objects smaller',
  'no dry run':
    'these webhooks have side effects and cannot be asked: they decide when the objects are written',
  other: 'read the message of the server',
}
