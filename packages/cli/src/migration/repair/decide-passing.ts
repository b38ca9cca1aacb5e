import type { ReadValue } from '../../stored/read-value.ts'

/** What a server had to ask in order to read an object, and what may answer again. */
export type PassingCause = 'key provider' | 'conversion webhook' | 'connection'

const causes: readonly (readonly [PassingCause, RegExp])[] = [
  // kube-apiserver calls an object corrupt whose conversion webhook does not answer.
  ['conversion webhook', /conversion webhook for .* failed|conversion of .* failed/i],
  // The nil transformer: a KMS plugin that has not answered since the server started.
  ['key provider', /failed to decrypt DEK|unexpected nil transformer|rpc error|\bKMS\b|KMS plugin/],
  [
    'connection',
    /connection refused|i\/o timeout|deadline exceeded|timed out|code = Unavailable|dial (?:tcp|unix)/i,
  ],
]

/** Whether a server may read the object again by itself, by what it says; undefined if nothing speaks for that. */
export const passingCauseOf = (message: string): PassingCause | undefined =>
  causes.find(([, text]) => text.test(message))?.[0]

export interface PassingFacts {
  /** What the bytes say of themselves. */
  readonly read: ReadValue
  /** What their plain value says, if they are encrypted and the keys that the user gave open them. */
  readonly opened?: ReadValue | undefined
  /** What each server says that cannot read them. */
  readonly messages: readonly string[]
}

/** Servers say so of bytes whose provider is not configured. They say something else while a KMS does not answer. */
const hasNoProvider =
  /no matching prefix found|no matching key found|tried to read encrypted data|has no --encryption-provider-config/

/** Otherwise the servers opened the bytes too, and cannot decode what is in them. */
const isAboutKey = /transform|decrypt|encrypt/i

/** Why bytes that no server reads now may be read later; undefined if nothing speaks for that. */
export function whyItMayPass({ read, opened, messages }: PassingFacts): string | undefined {
  if (opened !== undefined && opened.form !== 'unreadable' && messages.some((each) => isAboutKey.test(each)))
    return 'the keys in the file of --encryption-provider-config open it: give that file to every server'
  const kms = opened ? undefined : /^kms:v\d+:(.*)$/.exec(read.key ?? '')?.[1]
  if (kms !== undefined && !messages.every((each) => hasNoProvider.test(each)))
    return `it is encrypted by the KMS provider ${kms}, which may only be away: start its plugin beside every server. If its key is lost for good, first take the provider out of the encryption configuration of every server`
  for (const message of messages) {
    const cause = passingCauseOf(message)
    if (cause !== undefined) return `${nextOf[cause]} (${message})`
  }
  return undefined
}

const nextOf: Readonly<Record<PassingCause, string>> = {
  'key provider': 'its key provider may only be away: start the KMS plugin beside every server',
  'conversion webhook': 'its bytes may be whole, and its conversion webhook fails: repair that first',
  connection: 'what a server needs to read it did not answer, and may answer again: repair that first',
}
