/** Overrides members of a driver. All other members run on the driver itself, which may have private fields. */
export function overrideMembers<Driver extends object>(driver: Driver, overrides: Partial<Driver>): Driver {
  return new Proxy(overrides as Driver, {
    has: (_, key) => key in driver,
    get(_, key) {
      if (Object.hasOwn(overrides, key)) return overrides[key as keyof Driver];
      const value: unknown = Reflect.get(driver, key, driver);
      return typeof value === "function" ? value.bind(driver) : value;
    },
  });
}
