import { formatCount } from '@strata/insight'
import { type StorageRow, sharesOf } from '../model/storage/storage-rows.ts'
import { useApp } from '../shell/app-context.ts'

/** The layers of a resource, the oldest on the left, as wide as there are objects in them. */
export const LayerBar = ({ row }: { readonly row: Pick<StorageRow, 'resource' | 'layers' | 'total'> }) => {
  const { colours } = useApp()
  const { resource, layers, total } = row
  const shares = sharesOf(row)
  if (total === 0) return <div class="bar bar-empty">no object is stored</div>
  return (
    <ol class={`bar${total === undefined ? ' bar-uncounted' : ''}`} aria-label={`Layers of ${resource}`}>
      {layers.map(({ version, key, count, isOld }, index) => (
        <li
          key={`${version} ${key}`}
          class={`segment layer-${colours.of(resource, version)}${isOld ? ' old' : ''}`}
          style={{ flexBasis: `${shares[index]}%` }}
          title={`${version}${key === undefined ? '' : ` under ${key}`}: ${count === undefined ? 'may be stored' : formatCount(count)}`}
        >
          <span class="segment-text">
            {version}
            {key !== undefined && <span class="segment-key"> {key}</span>}{' '}
            <span class="num">{count === undefined ? '?' : formatCount(count)}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}
