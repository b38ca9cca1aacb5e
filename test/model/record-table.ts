import type { AgreementStatus } from '@strata/api'

/** The epoch of every record in the table. Only the order of epochs counts, and whether one is the present one. */
const present = 2
const past = 1

/**
 * Agreement records by number. Times, messages and the distance between epochs are left out: no decision depends on them.
 * That is what makes the space finite although epochs never end.
 */
export class RecordTable {
  readonly #statuses: AgreementStatus[] = []
  readonly #numbers = new Map<string, number>()

  /** 0 is: there is no record. */
  statusOf(number: number): AgreementStatus | undefined {
    return number === 0 ? undefined : this.#statuses[number - 1]
  }

  numberOf(status: AgreementStatus): number {
    const plain = abstracted(status)
    const text = JSON.stringify(plain)
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#statuses.push(plain)
    this.#numbers.set(text, this.#statuses.length)
    return this.#statuses.length
  }

  /** The same record, with names replaced. */
  renamed(number: number, rename: (text: string) => string): number {
    const status = this.statusOf(number)
    if (!status) return 0
    const next = JSON.parse(rename(JSON.stringify(status))) as AgreementStatus
    const servers = next.servers.toSorted((a, b) => (a.serverID < b.serverID ? -1 : 1))
    const unseen = next.unseenProcesses?.toSorted()
    return this.numberOf({ ...next, servers, ...(unseen ? { unseenProcesses: unseen } : {}) })
  }

  get size(): number {
    return this.#statuses.length
  }
}

/** What writes and agreement are decided on; what is served is another matter. */
function abstracted(status: AgreementStatus): AgreementStatus {
  const { encodings, agreedVersion, selectedVersion, persisted, unseenProcesses, servers } = status
  const epochOf = (epoch: number): number => (epoch === status.epoch ? present : past)
  return {
    ...{ epoch: present, encodings, servers },
    ...(agreedVersion === undefined ? {} : { agreedVersion }),
    ...(selectedVersion === undefined ? {} : { selectedVersion }),
    ...(unseenProcesses ? { unseenProcesses } : {}),
    ...(persisted
      ? { persisted: persisted.map((each) => ({ ...each, epoch: epochOf(each.epoch) })).sort(byText) }
      : {}),
    conditions: status.conditions
      .filter(({ type }) => type === 'Fenced')
      .map(({ type, status: holds }) => ({
        ...{ type, status: holds, reason: '', message: '', lastTransitionTime: '' },
      })),
  }
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}
