import { LayerMark } from '../../layers/layer-mark.tsx'
import type { SafetyAnswer, SafetyRow } from '../../model/safety/safety-answer.ts'
import { Copyable } from '../../shell/copyable.tsx'
import { ResourceName } from '../../shell/resource-name.tsx'

const tones = { Safe: 'good', Unsafe: 'alarm', CouldNotSee: 'left' } as const
const words = { Safe: 'safe', Unsafe: 'unsafe', CouldNotSee: 'could not see' } as const

/** Unsafe first, with what mends it; what is safe is folded into a count. */
export const SafetyVerdicts = ({
  answer: { sentence, verdict, attention, safe },
  asked,
}: {
  readonly answer: SafetyAnswer
  /** When it was asked. */
  readonly asked: string
}) => (
  <>
    <p class={`safety-sentence tone-${tones[verdict]}`} role="status">
      {sentence}
    </p>
    <p class="muted num">Checked at {asked}</p>
    {attention.length > 0 && (
      <ul class="verdicts">
        {attention.map((row) => (
          <Verdict key={row.resource} row={row} />
        ))}
      </ul>
    )}
    {safe.length > 0 && (
      <details class="safe" open={attention.length === 0 && safe.length < 12}>
        <summary>
          {safe.length} {safe.length === 1 ? 'resource is' : 'resources are'} safe
        </summary>
        <ul class="verdicts">
          {safe.map((row) => (
            <Verdict key={row.resource} row={row} />
          ))}
        </ul>
      </details>
    )}
  </>
)

const Verdict = ({ row }: { readonly row: SafetyRow }) => {
  const { resource, verdict, message, stored, readable, advice, commands } = row
  return (
    <li class={`verdict-row tone-${tones[verdict]}`}>
      <header>
        <ResourceName name={resource} />
        <span class="verdict-word">{words[verdict]}</span>
      </header>
      <p class="verdict-versions">
        <span class="muted">stored</span>
        {stored.length === 0 && <span>nothing</span>}
        {stored.map((each) => (
          <LayerMark
            key={each}
            resource={resource}
            version={each}
            isOld={readable?.includes(each) === false}
          />
        ))}
        <span class="muted">reads</span>
        {readable === undefined ? <span>unknown</span> : readable.length === 0 && <span>nothing</span>}
        {readable?.map((each) => (
          <LayerMark key={each} resource={resource} version={each} />
        ))}
      </p>
      {verdict !== 'Safe' && <p>{message}.</p>}
      {advice !== undefined && <p>{advice}.</p>}
      {commands.map((each) => (
        <Copyable key={each} command={each} />
      ))}
    </li>
  )
}
