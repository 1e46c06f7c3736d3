// Connecting a model from the first screen: the form of the settings, with the model's real reply to a test.
import { useEffect } from 'preact/hooks'
import { When } from '../parts/states.tsx'
import { service } from '../store/service.ts'
import { settings } from '../store/settings.ts'
import { Connect } from './settings-connect.tsx'

export function FirstModel() {
  useEffect(() => void settings.load(), [])
  const model = settings.data.value?.model.provider
  // The greeting takes its place once another model answers.
  useEffect(() => {
    if (model !== undefined && model !== 'offline') void service.load()
  }, [model])
  return (
    <When of={settings} what="The model" rows={3}>
      {(found) => <Connect found={found} unchosen />}
    </When>
  )
}
