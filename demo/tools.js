// @ts-check
// Two tools that compute what they say.

/** @type {Record<string, { latitude: number, longitude: number, zone: string }>} */
const CITIES = {
  Berlin: { latitude: 52.52, longitude: 13.4, zone: "Europe/Berlin" },
  Nairobi: { latitude: -1.29, longitude: 36.82, zone: "Africa/Nairobi" },
  "São Paulo": { latitude: -23.55, longitude: -46.63, zone: "America/Sao_Paulo" },
  Tokyo: { latitude: 35.68, longitude: 139.69, zone: "Asia/Tokyo" },
};

/** What the model is told of the tools. */
export const definitions = [
  define("get_sun", "Local times of sunrise and sunset today", {
    city: { type: "string", enum: Object.keys(CITIES) },
  }),
  define("get_time", "The time now in an IANA time zone", { zone: { type: "string" } }),
];

/** @type {Record<string, (input: any) => unknown>} */
const tools = {
  get_sun({ city }) {
    const place = CITIES[city];
    if (place === undefined) throw new RangeError(`No such city: ${city}`);
    const { rise, set } = sunTimes(place.latitude, place.longitude, new Date());
    return { rise: clock(rise, place.zone), set: clock(set, place.zone) };
  },
  get_time({ zone }) {
    return { time: clock(new Date(), zone) };
  },
};

/**
 * Runs a tool. What it throws is the model's to read, so that it can try again.
 *
 * @param {string} name
 * @param {unknown} input
 */
export function run(name, input) {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) throw new RangeError(`No such tool: ${name}`);
  return tool(input);
}

/**
 * @param {string} name
 * @param {string} description
 * @param {Record<string, object>} properties
 */
function define(name, description, properties) {
  const parameters = { type: "object", properties, required: Object.keys(properties) };
  return { type: "function", function: { name, description, parameters } };
}

/**
 * @param {Date} date
 * @param {string} timeZone
 */
function clock(date, timeZone) {
  const options = /** @type {const} */ ({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return new Intl.DateTimeFormat("en-GB", { ...options, timeZone }).format(date);
}

/** 2000-01-01T12:00Z, from which the sunrise equation counts its days. */
const J2000 = Date.UTC(2000, 0, 1, 12);
const DAY = 24 * 60 * 60 * 1000;

/**
 * Sunrise and sunset around the solar noon that is nearest to `date`, by the sunrise equation: good
 * to a minute or two between the polar circles. Angles are in degrees, east and north positive.
 *
 * @param {number} latitude
 * @param {number} longitude
 * @param {Date} date
 */
function sunTimes(latitude, longitude, date) {
  const days = Math.round((date.getTime() - J2000) / DAY + longitude / 360);
  const noon = days - longitude / 360;
  const anomaly = 357.5291 + 0.98560028 * noon;
  const center = 1.9148 * sin(anomaly) + 0.02 * sin(2 * anomaly) + 0.0003 * sin(3 * anomaly);
  const ecliptic = anomaly + center + 180 + 102.9372;
  const transit = noon + 0.0053 * sin(anomaly) - 0.0069 * sin(2 * ecliptic);
  const declination = Math.asin(sin(ecliptic) * sin(23.4397)) / DEGREE;
  // The upper edge of the disc, lifted by refraction, touches the horizon at -0.833 degrees.
  const height = sin(-0.833) - sin(latitude) * sin(declination);
  const halfDay = Math.acos(height / (cos(latitude) * cos(declination))) / DEGREE / 360;
  return {
    rise: new Date(J2000 + (transit - halfDay) * DAY),
    set: new Date(J2000 + (transit + halfDay) * DAY),
  };
}

const DEGREE = Math.PI / 180;
/** @param {number} degrees */
const sin = (degrees) => Math.sin(degrees * DEGREE);
/** @param {number} degrees */
const cos = (degrees) => Math.cos(degrees * DEGREE);
