import { CliError } from '../output/errors.ts'
import { exitCodes } from '../output/exit-codes.ts'

/** A key may be anything. */
const shownLength = 60

/** Why a store shows no object below a prefix: the prefixes that its keys have, if they could be read. */
export function emptyStoreError(source: string, root: string, others: readonly string[] | string): CliError {
  const begin = `${source} holds no object below ${root}`
  const text =
    typeof others === 'string'
      ? `${begin}; which other keys it holds was not seen: ${others}`
      : others.length === 0
        ? `${begin}: it holds no key at all`
        : `${begin}: its keys begin with ${others.map((each) => each.slice(0, shownLength)).join(', ')} (${others.length} ${others.length === 1 ? 'prefix' : 'prefixes'}); name the servers' --etcd-prefix`
  return new CliError(text, exitCodes.notSeen)
}
