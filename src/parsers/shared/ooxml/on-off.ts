/** Whether an attribute of OOXML's type `ST_OnOff` is set to true. */
export function isOn(value: string | undefined): boolean {
  return value === "1" || value === "true" || value === "on";
}
